"""NOT PRIVATE: rows grouped by person, cut to a public number, in bounded memory."""
