"""What others wrote, read with suspicion: plain files only, strict JSON, text made visible."""
