"""Scrapy's commands in the project's own form; COMMANDS_MODULE names this room. Nothing but commands here."""
