"""What languages say: words by purpose, dates, calendars and zones, names of persons. Knows texts, no pages."""
