"""Forms of results."""

import subprocess
import sys


def test_a_page_needs_no_import_of_reports():
    code = (
        "from fasttree.model_selection import cross_validate\n"
        "assert '<html' in cross_validate('weather', ['gini'], cv='1x3').to_html()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
