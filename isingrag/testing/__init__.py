"""For users' own tests: strategies, small problems with known optima, and checks of their parts."""
