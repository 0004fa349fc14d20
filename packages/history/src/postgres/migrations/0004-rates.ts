/** The database that is brought up to date, in a transaction. */
interface Database {
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  run(sql: string, values?: readonly unknown[]): Promise<number>
}

const TABLES = `
ALTER TABLE svc_quota_monitor.usage ADD COLUMN tier smallint;
ALTER TABLE svc_quota_monitor.capacity_points ADD COLUMN usable_units double precision;

CREATE TABLE svc_quota_monitor.cells (
  id int PRIMARY KEY,
  kind smallint NOT NULL,
  member_id int NOT NULL,
  model_id int NOT NULL,
  upstream_id smallint NOT NULL,
  provider_id smallint NOT NULL,
  tier smallint NOT NULL,
  band smallint NOT NULL,
  CONSTRAINT cells_key UNIQUE (kind, member_id, model_id, upstream_id, provider_id, tier, band)
);

CREATE TABLE svc_quota_monitor.causes (
  id int PRIMARY KEY,
  provider_id smallint NOT NULL,
  status smallint NOT NULL,
  code text NOT NULL,
  CONSTRAINT causes_key UNIQUE (provider_id, status, code)
);

CREATE TABLE svc_quota_monitor.failure_causes (
  day int NOT NULL,
  provider_id smallint NOT NULL,
  upstream_id smallint NOT NULL,
  account_id int NOT NULL,
  cause_id int NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (day, provider_id, upstream_id, account_id, cause_id)
);

CREATE TABLE svc_quota_monitor.price_sources (
  id int PRIMARY KEY,
  kind text NOT NULL,
  sha256 text NOT NULL,
  read_at_ms bigint NOT NULL
);

CREATE TABLE svc_quota_monitor.prices (
  model_id int NOT NULL,
  tier smallint NOT NULL,
  band smallint NOT NULL,
  from_day int NOT NULL,
  rate_in bigint,
  rate_read bigint,
  rate_write bigint,
  rate_out bigint,
  source_id int NOT NULL,
  PRIMARY KEY (model_id, tier, band, from_day)
);
`

const COLUMNS = `requests, tokens, failed, tokens_in, tokens_cached, tokens_written, tokens_out,
  failed_auth, failed_limit, failed_vendor, failed_other`
const most = (sum: string) => `least(coalesce(sum(${sum}), 0), ${Number.MAX_SAFE_INTEGER})::bigint`
const KEY = 'kind, member_id, model_id, upstream_id, provider_id, band'

/** Rows of a day under each kind of cell. */
const ROWS = `(
  SELECT m.kind, m.member_id, model_id, upstream_id, at_ms / 7200000 * 7200 AS bucket_s, tokens, failed, failure,
    tokens_in, tokens_cached, tokens_written, tokens_out,
    coalesce(provider_id, (SELECT p.id FROM svc_quota_monitor.accounts a JOIN svc_quota_monitor.providers p
      ON p.name = CASE WHEN a.key LIKE 'other:%' THEN substr(a.key, 7) ELSE 'codex' END WHERE a.id = account_id), 0) AS provider_id,
    CASE WHEN tokens_in + tokens_cached + tokens_written <= 128000 THEN 0
      WHEN tokens_in + tokens_cached + tokens_written <= 200000 THEN 1
      WHEN tokens_in + tokens_cached + tokens_written <= 272000 THEN 2
      WHEN tokens_in + tokens_cached + tokens_written > 272000 THEN 3 ELSE 9 END AS band
  FROM svc_quota_monitor.usage, LATERAL (VALUES (6, account_id), (7, api_name_id)) AS m (kind, member_id)
  WHERE at_ms >= $1 AND at_ms < $2) AS rows_of_day`

const NEW_CELLS = `INSERT INTO svc_quota_monitor.cells (id, ${KEY}, tier)
  SELECT (SELECT coalesce(max(id), 0) FROM svc_quota_monitor.cells) + row_number() OVER (ORDER BY ${KEY}), ${KEY}, 0
  FROM (SELECT ${KEY} FROM ${ROWS} EXCEPT SELECT ${KEY} FROM svc_quota_monitor.cells) AS added`

const SUMS = `INSERT INTO svc_quota_monitor.rollup_7200 (grouping, bucket_s, member_id, ${COLUMNS})
  SELECT kind, bucket_s, id, ${COLUMNS} FROM (
    SELECT ${KEY}, bucket_s, count(*) AS requests, ${most('tokens')} AS tokens, ${most('failed::int')} AS failed,
      ${most('tokens_in')} AS tokens_in, ${most('tokens_cached')} AS tokens_cached,
      ${most('tokens_written')} AS tokens_written, ${most('tokens_out')} AS tokens_out,
      count(*) FILTER (WHERE failure = 1) AS failed_auth, count(*) FILTER (WHERE failure = 2) AS failed_limit,
      count(*) FILTER (WHERE failure = 3) AS failed_vendor, count(*) FILTER (WHERE failure = 4) AS failed_other
    FROM ${ROWS} GROUP BY ${KEY}, bucket_s) AS sums
  JOIN svc_quota_monitor.cells USING (${KEY})`

const DAY_SUMS = `INSERT INTO svc_quota_monitor.rollup_86400 (grouping, bucket_s, member_id, ${COLUMNS})
  SELECT grouping, $1::bigint / 1000, member_id, ${COLUMNS.split(/,\s+/)
    .map((column) => most(column))
    .join(', ')}
  FROM svc_quota_monitor.rollup_7200 WHERE grouping IN (6, 7) AND bucket_s >= $1::bigint / 1000 AND bucket_s < $2::bigint / 1000
  GROUP BY grouping, member_id`

const SINCE = `INSERT INTO svc_quota_monitor.meta (name, value)
  SELECT 'pairs_since_ms', ((max(bucket_s) + 86400) * 1000)::text FROM (
    SELECT bucket_s FROM svc_quota_monitor.rollup_86400 WHERE grouping IN (0, 6)
    GROUP BY bucket_s HAVING sum(CASE grouping WHEN 0 THEN requests ELSE -requests END) <> 0) AS days
  HAVING max(bucket_s) IS NOT NULL`

const TIERS_SINCE = `INSERT INTO svc_quota_monitor.meta (name, value)
  SELECT 'tiers_since_ms', ((max(bucket_s) + 86400) * 1000)::text FROM svc_quota_monitor.rollup_86400
  WHERE grouping = 0 HAVING max(bucket_s) IS NOT NULL`

/**
 * Frozen, as every step. What a request is priced by, sums of accounts and clients with it, and why requests failed. Sums are made of the rows there
 * are, a day by each statement; expired ones among them are deleted later.
 */
export async function rates(database: Database): Promise<void> {
  await database.run(TABLES)
  const days = await database.rows<{ bucket_s: number }>(
    `SELECT bucket_s FROM svc_quota_monitor.rollup_86400
     WHERE grouping = 0 AND (bucket_s + 86400) * 1000 > (SELECT min(at_ms) FROM svc_quota_monitor.usage) ORDER BY bucket_s`,
  )
  for (const { bucket_s } of days) {
    const span = [bucket_s * 1000, (bucket_s + 86_400) * 1000]
    for (const statement of [NEW_CELLS, SUMS, DAY_SUMS]) await database.run(statement, span)
  }
  await database.run(SINCE)
  await database.run(TIERS_SINCE)
}
