"""The spiders: `site`, `feeds`, `archive`. Each is small and hands its work to newsextract/discovery.

No extraction, no storage and no parsing here.
"""
