"""The public side: models, samples and decoded tables from noisy values alone."""
