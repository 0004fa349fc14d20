import { start } from './0000-start.ts'
import { rates } from './0004-rates.ts'

/**
 * Sums of the present are added to with every batch. With a fifth of each page left free most of these updates stay on their page and need no new entry
 * in the index, so that tables and indexes of sums take about half of the bytes.
 */
const rollupSpace = `
ALTER TABLE svc_quota_monitor.rollup_60 SET (fillfactor = 80);
ALTER TABLE svc_quota_monitor.rollup_900 SET (fillfactor = 80);
ALTER TABLE svc_quota_monitor.rollup_7200 SET (fillfactor = 80);
ALTER TABLE svc_quota_monitor.rollup_86400 SET (fillfactor = 80);
`

const COLUMNS = ['failed_auth', 'failed_limit', 'failed_vendor', 'failed_other']
  .map((column) => `ADD COLUMN ${column} bigint NOT NULL DEFAULT 0`)
  .join(', ')

/** Frozen, as every step. Of the failures before it is unknown what they failed with. */
const failures = `
ALTER TABLE svc_quota_monitor.usage ADD COLUMN failure smallint;
ALTER TABLE svc_quota_monitor.rollup_60 ${COLUMNS};
ALTER TABLE svc_quota_monitor.rollup_900 ${COLUMNS};
ALTER TABLE svc_quota_monitor.rollup_7200 ${COLUMNS};
ALTER TABLE svc_quota_monitor.rollup_86400 ${COLUMNS};
`

/** Frozen, as every step. The last query of each file's account, and what refused it: it is written before the query goes out. */
const askedAccounts = `
CREATE TABLE svc_quota_monitor.asked_accounts (
  upstream text NOT NULL,
  file text NOT NULL,
  at_ms bigint NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (upstream, file)
);
`

const RATE = 'model_id, upstream_id, provider_id, tier, band'
const COUNTS = [
  ...['requests', 'tokens', 'failed', 'tokens_in', 'tokens_cached', 'tokens_written', 'tokens_out'],
  ...['failed_auth', 'failed_limit', 'failed_vendor', 'failed_other'],
]

/** Frozen, as every step. Sums by rate of everything, added up from those of clients. */
const totalRates = `
INSERT INTO svc_quota_monitor.cells (id, kind, member_id, model_id, upstream_id, provider_id, tier, band)
  SELECT (SELECT max(id) FROM svc_quota_monitor.cells) + row_number() OVER (), 8, 0, ${RATE}
  FROM (SELECT DISTINCT ${RATE} FROM svc_quota_monitor.cells WHERE kind = 7) AS added;
${[7_200, 86_400]
  .map(
    (seconds) => `
INSERT INTO svc_quota_monitor.rollup_${seconds} (grouping, bucket_s, member_id, ${COUNTS.join(', ')})
  SELECT 8, bucket_s, total.id, ${COUNTS.map((count) => `least(sum(${count}), ${Number.MAX_SAFE_INTEGER})::bigint`).join(', ')}
  FROM svc_quota_monitor.rollup_${seconds} AS sums JOIN svc_quota_monitor.cells AS client ON client.id = sums.member_id
  JOIN svc_quota_monitor.cells AS total USING (${RATE})
  WHERE grouping = 7 AND total.kind = 8 GROUP BY bucket_s, total.id;`,
  )
  .join('')}
`

/** Steps of the schema, in order; a version's number is that of its last step. Steps are never changed. */
export const migrations: readonly (string | typeof rates)[] = [
  start,
  rollupSpace,
  failures,
  askedAccounts,
  rates,
  totalRates,
]
