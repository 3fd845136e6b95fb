"""The palette of ten colours: distinct for colour-blind people, visible on its ground, and used
by plots, reports and the explorer alike."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fasttree.exports.explorer.page import component
from fasttree.exports.palette import (
    DARK,
    DARK_VALUES,
    PALETTE,
    VALUES,
    colour,
    css_colours,
)

GROUNDS = {"light": (PALETTE, "#FFFFFF"), "dark": (DARK, "#14181F")}

# Linear RGB as seen with full deuteranopia and protanopia: Machado, Oliveira & Fernandes, A
# physiologically-based model for simulation of color vision deficiency (2009), table 1.
SIGHT = {
    "full": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}


def linear(colours):
    """Linear RGB of colours in hexadecimal."""
    share = np.array([[int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in colours]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    """Ottosson's OKLab of linear RGB; a just noticeable difference is about 0.02."""
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    axes = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return np.cbrt(np.clip(rgb, 0, 1) @ cones.T) @ axes.T


def contrast(one, other):
    """Contrast of two colours as WCAG 2.1 defines it."""
    light = linear([one, other]) @ [0.2126, 0.7152, 0.0722] + 0.05
    return light.max() / light.min()


def closest(colours, sight):
    """The distance of the two colours that look most alike."""
    seen = oklab(linear(colours) @ SIGHT[sight].T)
    return min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2))


def test_the_measures_are_right():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    np.testing.assert_allclose(oklab(linear(["#FFFFFF"])), [[1, 0, 0]], atol=1e-4)
    assert closest(["#FF0000", "#9C8500"], "full") > 4 * closest(["#A17800", "#9C7E00"], "full")


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize(("first", "least"), [(3, 15), (6, 7)])
def test_the_first_ones_differ_without_colours(ground, first, least):
    luminance = linear(GROUNDS[ground][0][:first]) @ [0.2126, 0.7152, 0.0722]
    lightness = np.sort(116 * np.cbrt(luminance) - 16)
    assert np.diff(lightness).min() > least


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("sight", SIGHT)
def test_ten_colours_are_distinct(ground, sight):
    assert closest(GROUNDS[ground][0], sight) > 0.1


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(("scale", "ground"), [(VALUES, "#FFFFFF"), (DARK_VALUES, "#14181F")])
def test_the_scale_of_numbers_grows_lighter_and_is_visible(scale, ground, sight):
    lightness = oklab(np.clip(linear(scale) @ SIGHT[sight].T, 0, 1))[:, 0]
    assert (np.diff(lightness) > 0.01).all()
    assert min(contrast(one, ground) for one in scale) >= 3
    assert not set(scale) & {*PALETTE, *DARK}  # pictures replace light colours by dark ones


@pytest.mark.parametrize("ground", GROUNDS)
def test_no_two_colours_are_shades_of_one_hue(ground):
    """Two blues of different lightness are both "the blue line" to a reader."""
    _, green_red, blue_yellow = oklab(linear(GROUNDS[ground][0])).T
    hues = np.degrees(np.arctan2(blue_yellow, green_red))[np.hypot(green_red, blue_yellow) > 0.06]
    gaps = [abs((a - b + 180) % 360 - 180) for a, b in combinations(hues, 2)]
    assert len(hues) >= 6 and min(gaps) >= 20


@pytest.mark.parametrize("ground", GROUNDS)
def test_lines_stand_out_from_their_ground(ground):
    colours, paper = GROUNDS[ground]
    assert len(colours) == len(set(colours)) == 10
    assert min(contrast(one, paper) for one in colours) >= 3


def test_one_palette_serves_pictures_and_pages():
    from fasttree.plots import PALETTE as plotted

    assert plotted is PALETTE and [colour(k) for k in range(10)] == list(PALETTE)
    style, _ = component()
    assert all(one in style for one in (*PALETTE, *DARK))
    assert css_colours("/*light*/", "m").startswith(f"--m0:{PALETTE[0]};--m1:{PALETTE[1]};")
    assert "/*light*/" not in style and "/*dark*/" not in style
