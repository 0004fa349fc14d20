/**
 * Frozen, as every step. What was stored before is of the one upstream there was; of each request the classes of its tokens, its times and its provider
 * are unknown (null). Sums by upstream and by provider are made of those there are: a listed account was of the one provider that was watched.
 */
export const upstreams = `
CREATE TABLE upstreams (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO upstreams (id, name) VALUES (1, 'default');

CREATE TABLE providers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO providers (name)
  SELECT DISTINCT CASE WHEN key LIKE 'other:%' THEN substr(key, 7) ELSE 'codex' END FROM accounts;

CREATE TABLE feeds (
  upstream_id INTEGER PRIMARY KEY REFERENCES upstreams (id),
  last_poll_ms INTEGER,
  pop_mark_ms INTEGER,
  tree_requests INTEGER
) STRICT;
INSERT INTO feeds (upstream_id, last_poll_ms, pop_mark_ms, tree_requests) SELECT 1,
  (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'last_poll_ms'),
  (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'pop_mark_ms'),
  (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'tree_requests');
DELETE FROM meta WHERE name IN ('last_poll_ms', 'pop_mark_ms', 'tree_requests');

ALTER TABLE usage ADD COLUMN upstream_id INTEGER NOT NULL DEFAULT 1;
ALTER TABLE usage ADD COLUMN provider_id INTEGER;
ALTER TABLE usage ADD COLUMN tokens_in INTEGER;
ALTER TABLE usage ADD COLUMN tokens_cached INTEGER;
ALTER TABLE usage ADD COLUMN tokens_written INTEGER;
ALTER TABLE usage ADD COLUMN tokens_out INTEGER;
ALTER TABLE usage ADD COLUMN latency_ms INTEGER;
ALTER TABLE usage ADD COLUMN first_token_ms INTEGER;

ALTER TABLE rollups ADD COLUMN tokens_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN tokens_cached INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN tokens_written INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN tokens_out INTEGER NOT NULL DEFAULT 0;
INSERT INTO rollups (grouping, tier_seconds, bucket_s, member_id, requests, tokens, failed)
  SELECT 4, tier_seconds, bucket_s, 1, requests, tokens, failed FROM rollups WHERE grouping = 0;
INSERT INTO rollups (grouping, tier_seconds, bucket_s, member_id, requests, tokens, failed)
  SELECT 5, r.tier_seconds, r.bucket_s, p.id, sum(r.requests), min(total(r.tokens), 9007199254740991), sum(r.failed)
  FROM rollups r
  JOIN accounts a ON a.id = r.member_id
  JOIN providers p ON p.name = CASE WHEN a.key LIKE 'other:%' THEN substr(a.key, 7) ELSE 'codex' END
  WHERE r.grouping = 1 GROUP BY r.tier_seconds, r.bucket_s, p.id;

CREATE TABLE gaps_by_upstream (
  upstream_id INTEGER NOT NULL REFERENCES upstreams (id),
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (upstream_id, from_ms, to_ms, reason)
) WITHOUT ROWID, STRICT;
INSERT INTO gaps_by_upstream SELECT 1, from_ms, to_ms, reason FROM gaps;
DROP TABLE gaps;
ALTER TABLE gaps_by_upstream RENAME TO gaps;

ALTER TABLE quarantine ADD COLUMN upstream_id INTEGER NOT NULL DEFAULT 1;
`
