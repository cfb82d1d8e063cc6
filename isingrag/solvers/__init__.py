"""Plain array kernels: exact solve of a problem, of a published-form model, and of a small Ising instance."""
