const MOST = Number.MAX_SAFE_INTEGER
/** Counts of a sum. */
export const COLUMNS = `requests, tokens, failed, tokens_in, tokens_cached, tokens_written, tokens_out,
  failed_auth, failed_limit, failed_vendor, failed_other`
const ofRows = (kind: number, member: string) => `
INSERT INTO temp.rate_sums
  SELECT ${kind}, at_ms / 7200000 * 7200 AS bucket, ${member}, model_id, upstream_id,
    coalesce(provider_id, (SELECT p.id FROM accounts a JOIN providers p
      ON p.name = CASE WHEN a.key LIKE 'other:%' THEN substr(a.key, 7) ELSE 'codex' END WHERE a.id = account_id), 0) AS provider,
    CASE WHEN tokens_in + tokens_cached + tokens_written <= 128000 THEN 0
      WHEN tokens_in + tokens_cached + tokens_written <= 200000 THEN 1
      WHEN tokens_in + tokens_cached + tokens_written <= 272000 THEN 2
      WHEN tokens_in + tokens_cached + tokens_written > 272000 THEN 3 ELSE 9 END AS band,
    count(*), min(total(tokens), ${MOST}), total(failed), min(total(tokens_in), ${MOST}), min(total(tokens_cached), ${MOST}),
    min(total(tokens_written), ${MOST}), min(total(tokens_out), ${MOST}),
    total(failure = 1), total(failure = 2), total(failure = 3), total(failure = 4)
  FROM usage GROUP BY bucket, ${member}, model_id, upstream_id, provider, band;
`

/**
 * Frozen, as every step. What a request is priced by, sums of accounts and clients with it, and why requests failed. Sums are made of the rows there
 * are; expired ones among them are deleted later.
 */
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

CREATE TEMP TABLE rate_sums (kind, bucket_s, member_id, model_id, upstream_id, provider_id, band, ${COLUMNS});
${ofRows(6, 'account_id')}
${ofRows(7, 'api_name_id')}
INSERT INTO cells (kind, member_id, model_id, upstream_id, provider_id, tier, band)
  SELECT DISTINCT kind, member_id, model_id, upstream_id, provider_id, 0, band FROM temp.rate_sums;
INSERT INTO rollups (grouping, tier_seconds, bucket_s, member_id, ${COLUMNS})
  SELECT kind, 7200, bucket_s, id, ${COLUMNS} FROM temp.rate_sums
  JOIN cells USING (kind, member_id, model_id, upstream_id, provider_id, band);
DROP TABLE temp.rate_sums;
INSERT INTO rollups (grouping, tier_seconds, bucket_s, member_id, ${COLUMNS})
  SELECT grouping, 86400, bucket_s / 86400 * 86400 AS day, member_id, ${COLUMNS.split(/,\s+/)
    .map((column) => `min(total(${column}), ${MOST})`)
    .join(', ')}
  FROM rollups WHERE grouping > 5 AND tier_seconds = 7200 GROUP BY grouping, day, member_id;

INSERT INTO meta (name, value)
  SELECT 'pairs_since_ms', CAST((max(bucket_s) + 86400) * 1000 AS TEXT) FROM (
    SELECT bucket_s FROM rollups WHERE grouping IN (0, 6) AND tier_seconds = 86400
    GROUP BY bucket_s HAVING sum(iif(grouping = 0, requests, -requests)) <> 0) HAVING max(bucket_s) IS NOT NULL;
INSERT INTO meta (name, value) SELECT 'tiers_since_ms', CAST((max(bucket_s) + 86400) * 1000 AS TEXT) FROM rollups
  WHERE grouping = 0 AND tier_seconds = 86400 HAVING max(bucket_s) IS NOT NULL;
`
