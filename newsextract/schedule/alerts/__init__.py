"""Tells what is wrong, and what is well again, by the services that the user names: mail, Slack, JSON … (apprise)."""

from newsextract.schedule.alerts.notify import parse_services, tell

__all__ = ["parse_services", "tell"]
