"""Tables of a report, and their renderers for text, Markdown, LaTeX, HTML, CSV and JSON.

Layout only: the numbers come from `fasttree.model_selection` and are not computed here.
`fasttree.reports` offers the public part.
"""
