"""Fixtures that all tests share."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of the shared data beside the project; tests that need it skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the shared data is not beside the project")
    return folder
