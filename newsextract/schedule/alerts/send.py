"""`python -m newsextract.schedule.alerts.send`: sends one message by one service, in a process of its own.

So a service that hangs can be ended, nothing that apprise logs comes into a log, and no address stands on a command
line. Reads a JSON object from stdin (`service`, `title`, `body`); exit status 0 if the service took the message.
"""

import json
import logging
import sys


def main() -> int:
    """Sends the message of stdin."""
    import apprise

    logging.disable(logging.CRITICAL)
    message = json.load(sys.stdin)
    service = apprise.Apprise.instantiate(message["service"], suppress_exceptions=True)
    return 0 if service and service.notify(title=message["title"], body=message["body"]) else 1


if __name__ == "__main__":
    sys.exit(main())
