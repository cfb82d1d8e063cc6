"""Select RAG passages on Ising machines."""
