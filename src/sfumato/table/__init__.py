"""Records on their way to the public grid: sources and the encoder."""
