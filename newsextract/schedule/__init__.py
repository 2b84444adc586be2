"""The schedule: the sites of sites.toml, when each is crawled, several at a time; what is kept, told and checked."""
