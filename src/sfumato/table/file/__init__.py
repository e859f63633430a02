"""Files of records: one module for each format, and the one that tells them apart."""
