-- The tables of version 1.0.0, which the tests upgrade. SERIAL, NUMBER, DATETIME, BLOB and WITHOUT ROWID are replaced by
-- what a database calls them (tests/store/test_migrations.py).
CREATE TABLE newsextract_schema (version_num VARCHAR(32) NOT NULL, CONSTRAINT newsextract_schema_pkc PRIMARY KEY
    (version_num));
CREATE TABLE articles (id SERIAL NOT NULL, key_hash VARCHAR(64) NOT NULL, key TEXT NOT NULL, url TEXT NOT NULL,
    canonical_url TEXT, site TEXT NOT NULL, language TEXT, headline TEXT, date_published DATETIME, content_hash TEXT
    NOT NULL, version INTEGER NOT NULL, change NUMBER NOT NULL, change_kind VARCHAR(16) NOT NULL, fetched_at DATETIME,
    first_seen_at DATETIME NOT NULL, last_seen_at DATETIME NOT NULL, duplicate_of NUMBER, CONSTRAINT pk_articles
    PRIMARY KEY (id), CONSTRAINT uq_articles_change UNIQUE (change), CONSTRAINT uq_articles_key_hash UNIQUE
    (key_hash));
CREATE TABLE change_counter (id INTEGER NOT NULL, last NUMBER NOT NULL, CONSTRAINT pk_change_counter PRIMARY KEY
    (id));
CREATE TABLE jsonl_files (path TEXT NOT NULL, "offset" NUMBER NOT NULL, change NUMBER NOT NULL, written_at DATETIME
    NOT NULL, CONSTRAINT pk_jsonl_files PRIMARY KEY (path));
CREATE TABLE peers (id SERIAL NOT NULL, site TEXT NOT NULL, pattern TEXT NOT NULL, url TEXT NOT NULL, held BOOLEAN NOT
    NULL, page TEXT NOT NULL, body BLOB NOT NULL, fetched_at DATETIME NOT NULL, CONSTRAINT pk_peers PRIMARY KEY (id));
CREATE TABLE runs (id SERIAL NOT NULL, spider TEXT NOT NULL, arguments TEXT NOT NULL, identity VARCHAR(64) NOT NULL,
    started_at DATETIME NOT NULL, finished_at DATETIME, reason TEXT, stats TEXT, alive_until DATETIME,
    CONSTRAINT pk_runs PRIMARY KEY (id));
CREATE TABLE sites (site TEXT NOT NULL, first_seen DATETIME NOT NULL, last_fetched DATETIME, next_due DATETIME,
    failures INTEGER DEFAULT '0' NOT NULL, lease_owner TEXT, lease_until DATETIME, CONSTRAINT pk_sites PRIMARY KEY
    (site));
CREATE TABLE urls (fingerprint VARCHAR(64) NOT NULL, url TEXT NOT NULL, site TEXT NOT NULL, state VARCHAR(16) NOT
    NULL, reason TEXT NOT NULL, priority FLOAT DEFAULT '0' NOT NULL, depth INTEGER DEFAULT '0' NOT NULL, referrer
    TEXT, anchor_text TEXT, attempts INTEGER DEFAULT '0' NOT NULL, lease_owner TEXT, lease_until DATETIME, status
    INTEGER, etag TEXT, last_modified TEXT, page_hash TEXT, next_due DATETIME, first_seen DATETIME NOT NULL,
    last_fetched DATETIME, run NUMBER, article NUMBER, callback VARCHAR(40) DEFAULT 'parse_page' NOT NULL, meta TEXT,
    CONSTRAINT pk_urls PRIMARY KEY (fingerprint));
CREATE TABLE article_versions (article NUMBER NOT NULL, version INTEGER NOT NULL, fetched_at DATETIME, content_hash
    TEXT NOT NULL, page_hash TEXT, document TEXT NOT NULL, CONSTRAINT pk_article_versions PRIMARY KEY (article,
    version), CONSTRAINT fk_article_versions_article FOREIGN KEY(article) REFERENCES articles (id) ON DELETE CASCADE);
CREATE TABLE changes (change NUMBER NOT NULL, article NUMBER NOT NULL, version INTEGER NOT NULL, kind VARCHAR(16) NOT
    NULL, at DATETIME NOT NULL, run NUMBER, CONSTRAINT pk_changes PRIMARY KEY (change), CONSTRAINT fk_changes_article
    FOREIGN KEY(article) REFERENCES articles (id) ON DELETE CASCADE);
CREATE TABLE signatures (article NUMBER NOT NULL, signature BLOB NOT NULL, CONSTRAINT pk_signatures PRIMARY KEY
    (article), CONSTRAINT fk_signatures_article_articles FOREIGN KEY(article) REFERENCES articles (id) ON DELETE
    CASCADE);
CREATE TABLE bands (band INTEGER NOT NULL, article NUMBER NOT NULL, CONSTRAINT pk_bands PRIMARY KEY (band, article))
    WITHOUT ROWID;
CREATE INDEX ix_articles_site_change ON articles (site, change);
CREATE INDEX ix_articles_duplicate_of ON articles (duplicate_of);
CREATE INDEX ix_changes_article ON changes (article);
CREATE INDEX ix_peers_site_held ON peers (site, held);
CREATE INDEX ix_runs_identity ON runs (identity);
CREATE INDEX ix_urls_article ON urls (article);
CREATE INDEX ix_urls_site_state_priority ON urls (site, state, priority);
CREATE INDEX ix_urls_state_next_due ON urls (state, next_due);
CREATE INDEX ix_urls_run_site_state_priority ON urls (run, site, state, priority);
CREATE INDEX ix_urls_lease_owner ON urls (lease_owner);
INSERT INTO change_counter (id, last) VALUES (1, 0);
INSERT INTO newsextract_schema (version_num) VALUES ('0003');
