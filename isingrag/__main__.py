"""``python -m isingrag``."""

from isingrag.cli.main import main

if __name__ == "__main__":
    main()
