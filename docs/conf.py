"""How the documentation is built: `make docs`, without a network, warnings as errors."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from dtfinder import __version__

project = "dtfinder"
author = "the dtfinder developers"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "tables"]
exclude_patterns = ["_ext"]
default_role = "code"  # docstrings write `names` as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "none"
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_title = f"dtfinder {__version__}"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
