"""Data in: files of many formats, bundled data sets, and generators of problems with known answers.

`load` reads a file; `list_datasets` and ``load_<name>`` give the bundled sets; ``make_<name>``
computes or draws problems whose truth is known; `dump_arff` writes a Table. A malformed file is a
`DataFileError`.
"""

from .all_cases import make_balance_scale, make_tic_tac_toe
from .arff_write import dump_arff
from .bayesian_network import RandomNetwork, make_bayesian_network
from .bit_problems import make_parity, make_xor
from .blocks import Limits
from .errors import DataFileError
from .files import load
from .genotypes import Genotypes
from .monks import make_monks
from .plink import read_plink
from .plink_write import dump_plink
from .random_tree import GeneratingTree, make_random_tree
from .samples import make_blobs, make_led, make_waveform
from .shelf import (
    list_datasets,
    load_balance_scale,
    load_breast_cancer,
    load_contact_lenses,
    load_iris,
    load_monks_1,
    load_monks_2,
    load_monks_3,
    load_tic_tac_toe,
    load_weather,
    load_weather_numeric,
    load_wine,
    load_xor,
)
from .simulated import make_genotypes
from .textbook_tables import make_contact_lenses, make_weather

__all__ = [
    "DataFileError",
    "GeneratingTree",
    "Genotypes",
    "Limits",
    "RandomNetwork",
    "dump_arff",
    "dump_plink",
    "list_datasets",
    "load",
    "load_balance_scale",
    "load_breast_cancer",
    "load_contact_lenses",
    "load_iris",
    "load_monks_1",
    "load_monks_2",
    "load_monks_3",
    "load_tic_tac_toe",
    "load_weather",
    "load_weather_numeric",
    "load_wine",
    "load_xor",
    "make_balance_scale",
    "make_bayesian_network",
    "make_blobs",
    "make_contact_lenses",
    "make_genotypes",
    "make_led",
    "make_monks",
    "make_parity",
    "make_random_tree",
    "make_tic_tac_toe",
    "make_waveform",
    "make_weather",
    "make_xor",
    "read_plink",
]
