/** Frozen, as every step. What a request is priced by, sums of accounts and clients with it, and why requests failed. */
export const rates = `
ALTER TABLE usage ADD COLUMN tier INTEGER;
ALTER TABLE capacity_points ADD COLUMN usable_units REAL;

CREATE TABLE cells (
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  member_id INTEGER NOT NULL,
  model_id INTEGER NOT NULL,
  upstream_id INTEGER NOT NULL,
  provider_id INTEGER NOT NULL,
  tier INTEGER NOT NULL,
  band INTEGER NOT NULL,
  UNIQUE (kind, member_id, model_id, upstream_id, provider_id, tier, band)
) STRICT;

CREATE TABLE causes (
  id INTEGER PRIMARY KEY,
  provider_id INTEGER NOT NULL,
  status INTEGER NOT NULL,
  code TEXT NOT NULL,
  UNIQUE (provider_id, status, code)
) STRICT;

CREATE TABLE failure_causes (
  day INTEGER NOT NULL,
  provider_id INTEGER NOT NULL,
  upstream_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  cause_id INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (day, provider_id, upstream_id, account_id, cause_id)
) WITHOUT ROWID, STRICT;

CREATE TABLE price_sources (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  read_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE prices (
  model_id INTEGER NOT NULL,
  tier INTEGER NOT NULL,
  band INTEGER NOT NULL,
  from_day INTEGER NOT NULL,
  rate_in INTEGER,
  rate_read INTEGER,
  rate_write INTEGER,
  rate_out INTEGER,
  source_id INTEGER NOT NULL,
  PRIMARY KEY (model_id, tier, band, from_day)
) WITHOUT ROWID, STRICT;
`
