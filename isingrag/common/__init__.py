"""Ground floor: checked frozen arrays, canonical JSON, safe files, seeds, options."""
