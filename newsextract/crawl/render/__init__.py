"""Pages rendered by a browser, where a site sends empty frames: `Renderer`. Needs the extra `render`, and a chromium.

The browser has no network. A page's requests are made by the crawl, under its address guard, robots.txt and limits
(`renderer`); whatever else the page tries ends at a proxy that accepts no connection (`browser`).
"""
