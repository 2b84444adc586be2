"""What a crawl knows of a site beyond one page: its memory, peers of its pages, pages put aside, the final review."""
