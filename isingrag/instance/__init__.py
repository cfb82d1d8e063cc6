"""Compiled instances: target, trace and way back; instance and sample files."""

from isingrag.instance.instance import CompiledInstance
from isingrag.instance.instance_file import load_instance, save_instance
from isingrag.instance.lowering import Lowering
from isingrag.instance.sample_file import load_samples, save_samples

__all__ = ["CompiledInstance", "Lowering", "load_instance", "load_samples", "save_instance", "save_samples"]
