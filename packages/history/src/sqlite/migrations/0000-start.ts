/** Frozen: a store that exists was made by exactly this text. What comes later is a further migration. */
export const start = `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  instance TEXT NOT NULL,
  key TEXT NOT NULL,
  title TEXT NOT NULL,
  UNIQUE (instance, key)
) STRICT;

CREATE TABLE api_names (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE models (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE usage (
  at_ms INTEGER NOT NULL,
  key INTEGER NOT NULL,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  api_name_id INTEGER NOT NULL REFERENCES api_names (id),
  model_id INTEGER NOT NULL REFERENCES models (id),
  tokens INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (at_ms, key)
) WITHOUT ROWID, STRICT;

CREATE TABLE rollups (
  grouping INTEGER NOT NULL,
  tier_seconds INTEGER NOT NULL,
  bucket_s INTEGER NOT NULL,
  member_id INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (grouping, tier_seconds, bucket_s, member_id)
) WITHOUT ROWID, STRICT;

CREATE TABLE quota_samples (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  window_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  percent REAL NOT NULL,
  reset_at_ms INTEGER,
  PRIMARY KEY (account_id, window_id, at_ms)
) WITHOUT ROWID, STRICT;

CREATE TABLE capacity_points (
  window_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  known_units REAL NOT NULL,
  tracked_units REAL NOT NULL,
  unknown_units REAL NOT NULL,
  burned_units REAL NOT NULL,
  PRIMARY KEY (window_id, at_ms)
) WITHOUT ROWID, STRICT;

CREATE TABLE recent_changes (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  tone TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE TABLE gaps (
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (from_ms, to_ms, reason)
) WITHOUT ROWID, STRICT;

CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  shape TEXT NOT NULL
) STRICT;
`
