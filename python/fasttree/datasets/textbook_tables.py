"""Two small tables of textbooks: contact lenses and the weather.

Sources
    Contact lenses: Cendrowska (1987). Weather: Quinlan (1986), "Induction of decision
    trees", table 1; its numeric form from Quinlan (1993).
"""

from __future__ import annotations

from itertools import product

import numpy as np

from .._checks import checked, one_value
from ..table import Table
from ..table.columns import Column
from .label_tables import table_of_labels


def make_contact_lenses() -> Table:
    """Cendrowska's 24 patients: every combination of four features and the lenses that fit.

    Examples:
        >>> t = make_contact_lenses()
        >>> {label: int((t.y == label).sum()) for label in t.classes}
        {'soft': 5, 'hard': 4, 'none': 15}
    """
    features: dict[str, tuple[str, ...]] = {
        "age": ("young", "pre-presbyopic", "presbyopic"),
        "spectacle-prescrip": ("myope", "hypermetrope"),
        "astigmatism": ("no", "yes"),
        "tear-prod-rate": ("reduced", "normal"),
    }

    def lenses(age: str, prescription: str, astigmatism: str, tears: str) -> str:
        if tears == "reduced":
            return "none"
        if astigmatism == "no":
            return "none" if age == "presbyopic" and prescription == "myope" else "soft"
        return "hard" if prescription == "myope" or age == "young" else "none"

    levels = {**features, "contact-lenses": ("soft", "hard", "none")}
    return table_of_labels(
        "contact-lenses", levels, [(*row, lenses(*row)) for row in product(*features.values())]
    )


_DAYS = """
sunny hot high FALSE 85 85 no
sunny hot high TRUE 80 90 no
overcast hot high FALSE 83 86 yes
rainy mild high FALSE 70 96 yes
rainy cool normal FALSE 68 80 yes
rainy cool normal TRUE 65 70 no
overcast cool normal TRUE 64 65 yes
sunny mild high FALSE 72 95 no
sunny cool normal FALSE 69 70 yes
rainy mild normal FALSE 75 80 yes
sunny mild normal TRUE 75 70 yes
overcast mild high TRUE 72 90 yes
overcast hot normal FALSE 81 75 yes
rainy mild high TRUE 71 91 no
"""
"""Days by outlook, temperature, humidity, windy, temperature in degrees Fahrenheit, humidity in per
cent, and play."""


@checked(numeric=one_value)
def make_weather(*, numeric: bool = False) -> Table:
    """Quinlan's 14 Saturday mornings: shall we play?

    Args:
        numeric: temperature (degrees Fahrenheit) and humidity (per cent) as numbers (Quinlan 1993).

    Examples:
        >>> make_weather()
        Table 'weather': 14 rows, 4 features (4 nominal), target 'play' with 2 classes
    """
    days = [line.split() for line in _DAYS.strip().splitlines()]
    levels = {
        "outlook": ("sunny", "overcast", "rainy"),
        "temperature": ("hot", "mild", "cool"),
        "humidity": ("high", "normal"),
        "windy": ("TRUE", "FALSE"),
        "play": ("yes", "no"),
    }
    table = table_of_labels("weather", levels, [(*day[:4], day[6]) for day in days])
    if not numeric:
        return table
    columns = list(table.columns)
    for position, name in ((1, "temperature"), (2, "humidity")):
        # Its number stands three fields behind its word.
        numbers = np.array([float(day[position + 3]) for day in days])
        columns[position] = Column(name, "numeric", numbers)
    return Table.from_columns(columns, table.target_column, name="weather-numeric")
