"""Renders pages in a browser, for sites that send empty frames: `Renderer`. Needs the extra `render` and a Chromium.

The browser has no network access. The crawl makes a page's requests, under its address guard, robots.txt and limits
(`renderer`); anything else the page tries ends at a proxy that accepts no connections (`browser`).
"""
