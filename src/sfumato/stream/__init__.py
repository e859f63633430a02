"""Bit streams: running counts and means that stay private however often they are read."""
