CREATE TABLE daily (day, site, kind, number INTEGER, PRIMARY KEY (day, site, kind)) WITHOUT ROWID
CREATE TABLE yields (run INTEGER, site, spider, day, started_at, new INTEGER, changed INTEGER, articles INTEGER, tried INTEGER, warning, PRIMARY KEY (run, site)) WITHOUT ROWID
CREATE INDEX yields_by_site ON yields (site, started_at)
CREATE INDEX yields_by_day ON yields (day, site, articles, tried, warning)
CREATE TABLE refusals (day, site, reason, number INTEGER, PRIMARY KEY (day, site, reason)) WITHOUT ROWID
CREATE TABLE outcomes (site, outcome, number INTEGER, PRIMARY KEY (site, outcome)) WITHOUT ROWID
CREATE TABLE delays (day, site, hours REAL, articles INTEGER, PRIMARY KEY (day, site)) WITHOUT ROWID
CREATE TABLE sites (site PRIMARY KEY, name, state, warning, advice, articles INTEGER, last_run, new_last_day INTEGER, usual_low REAL, usual_high REAL, waiting INTEGER, refused INTEGER, percent_headline REAL, percent_date REAL, percent_authors REAL, median_hours REAL, copies INTEGER) WITHOUT ROWID
CREATE TABLE _runs (run INTEGER PRIMARY KEY)
CREATE TABLE _figures (source, layout INTEGER, cursor INTEGER)
