"""The schedule: the sites of sites.toml, when each is crawled, retention, alerts and checks."""
