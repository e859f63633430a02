"""Published experiments, run again with what is proved in `sfumato`, and told as they come out.

One package per paper; `python -m papers` lists them.  Each run writes a folder: figures (PNG and
SVG), `results.csv` with every single trial, and `results.md`, which sets our figures beside the
paper's claims and says plainly where a claim is not reached.

The data sets are public, so their scores may be shown; with records of your own, nothing
of this kind may leave the house (`sfumato.inspection`).
"""

__all__ = ["STUDIES"]

STUDIES = {
    "jiang2013": "Jiang and others 2013, publishing through component analysis: figures 1 to 4.",
    "xu2019": "Xu, Yang, Bai 2019, Laplace noise before and after PCA: figures 1 to 5.",
    "chakrabarti2010": (
        "Chakrabarti and others 2010, discriminants from perturbed data: figures 2 to 5."
    ),
    "chanyaswad2017": (
        "Chanyaswad, Liu, Mittal 2017, reduction and a generative model: "
        "tables II to IV, figures 1 and 2."
    ),
    "liu2015": "Liu 2015 (thesis), matrices, networks and big data: chapters 2 to 10.",
}
