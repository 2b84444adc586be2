"""The tests: a package, so that another of this name in the environment does not take its place."""
