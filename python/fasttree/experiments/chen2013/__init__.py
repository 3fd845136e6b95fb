"""Chen, Wu & Cai (2013): information gain, gain ratio, normal gain and distance in Id3."""
