"""Command line: ``isingrag demo | select | compile | run | decode | profiles``."""
