"""Vilalta, Brodie, Oblinger & Rish (2001): purity, discrimination and pairs."""
