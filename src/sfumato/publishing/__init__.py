"""From private values to a release, one module for each kind of data, and the way back: verify."""
