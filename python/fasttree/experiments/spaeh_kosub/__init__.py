"""Späh & Kosub (2022): trees grown by the distance of the whole tree."""
