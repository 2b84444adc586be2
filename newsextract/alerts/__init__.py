"""Tells what is wrong, and what is well again, by the services that the user names: mail, Slack, JSON … (apprise)."""

from newsextract.alerts.services import parse_services
from newsextract.alerts.telling import tell, tell_quietly

__all__ = ["parse_services", "tell", "tell_quietly"]
