"""What starts crawls: one or many sites, sites.toml with its schedule, retention and alerts; commands and add-on."""
