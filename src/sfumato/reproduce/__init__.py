"""Published experiments, run again with what is proved here, and told as they come out.

One package per paper.  Each run writes a folder: figures (PNG and SVG), `results.csv` with
every single trial, and `results.md`, which sets our figures beside the paper's claims
and says plainly where a claim is not reached.

The data sets are public, so their scores may be shown; with records of your own, nothing
of this kind may leave the house (`sfumato.inspection`).
"""

__all__ = ["STUDIES"]

STUDIES = ("jiang2013", "xu2019", "chakrabarti2010", "chanyaswad2017", "liu2015")
