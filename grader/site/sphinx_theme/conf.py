"""How Sphinx builds the pages; it runs nothing and asks no other server."""

project = "Stateful Streams"
author = "The authors of Stateful Streams"
copyright = "the authors of Stateful Streams, Apache-2.0"
language = "en"

extensions = ["myst_nb", "grader.site.repository_links", "grader.site.search_entries"]
nb_merge_streams = True
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # the glossary has only headings of level 3

html_theme = "pydata_sphinx_theme"
html_title = "Stateful Streams"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_favicon = "static/logo.svg"
html_sidebars: dict[str, list[str]] = {
    "docs/play": [],
    "search": [],
}  # they have no pages below them
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_use_index = False
html_theme_options = {
    "logo": {"image_light": "static/logo.svg", "image_dark": "static/logo.svg", "text": project},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navbar_end": ["version-switcher", "theme-switcher"],
    "check_switcher": False,  # the list of versions is written after the pages
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
}
