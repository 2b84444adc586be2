"""Growth of time and memory with the size of an input: every reader, every pattern (`scripts/bench growth`)."""
