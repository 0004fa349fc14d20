import { ASSUMED_PROVIDER, DEFAULT_UPSTREAM } from '@svc/core/service'
import { OTHER_ACCOUNT } from '@svc/core/usage'
import type { Database } from '@svc/sqlite'

/** Presents a file of an earlier schema in the current one without changing it: a service may be using it. */
export function showAsPresent(db: Database): void {
  const version = Number(db.pragma('user_version', { simple: true }))
  // The file is open for reading; views and tables made here are in memory.
  db.pragma('query_only = OFF')
  db.pragma('temp_store = MEMORY')
  if (version < ORIGINS_SINCE) db.exec(WITHOUT_ORIGINS)
  if (version < UPSTREAMS_SINCE) db.exec(WITHOUT_UPSTREAMS)
  db.pragma('query_only = ON')
}

const ORIGINS_SINCE = 2
const UPSTREAMS_SINCE = 3

const WITHOUT_ORIGINS = `
CREATE TEMP VIEW quota_samples AS
  SELECT account_id, window_id, at_ms, percent, reset_at_ms, NULL AS origin, NULL AS sampled_at_ms FROM main.quota_samples;`

const PROVIDER_OF_KEY = `CASE WHEN key LIKE '${OTHER_ACCOUNT}%' THEN substr(key, ${OTHER_ACCOUNT.length + 1}) ELSE '${ASSUMED_PROVIDER}' END`
const NO_CLASSES = '0 AS tokens_in, 0 AS tokens_cached, 0 AS tokens_written, 0 AS tokens_out'
const metaNumber = (name: string) =>
  `(SELECT CAST(value AS INTEGER) FROM main.meta WHERE name = '${name}') AS ${name}`

const WITHOUT_UPSTREAMS = `
CREATE TEMP VIEW upstreams AS SELECT 1 AS id, '${DEFAULT_UPSTREAM}' AS name;
CREATE TEMP VIEW providers AS SELECT row_number() OVER (ORDER BY name) AS id, name
  FROM (SELECT DISTINCT ${PROVIDER_OF_KEY} AS name FROM main.accounts);
CREATE TEMP VIEW feeds AS SELECT 1 AS upstream_id, ${['last_poll_ms', 'pop_mark_ms', 'tree_requests'].map(metaNumber).join(', ')};
CREATE TEMP VIEW gaps AS SELECT 1 AS upstream_id, from_ms, to_ms, reason FROM main.gaps;
CREATE TEMP VIEW usage AS SELECT at_ms, key, account_id, api_name_id, model_id, tokens, failed, 1 AS upstream_id, NULL AS provider_id,
  NULL AS tokens_in, NULL AS tokens_cached, NULL AS tokens_written, NULL AS tokens_out, NULL AS latency_ms, NULL AS first_token_ms FROM main.usage;
CREATE TEMP VIEW rollups AS
  SELECT grouping, tier_seconds, bucket_s, member_id, requests, tokens, failed, ${NO_CLASSES} FROM main.rollups
  UNION ALL
  SELECT 4, tier_seconds, bucket_s, 1, requests, tokens, failed, ${NO_CLASSES} FROM main.rollups WHERE grouping = 0
  UNION ALL
  SELECT 5, r.tier_seconds, r.bucket_s, p.id, sum(r.requests), min(total(r.tokens), ${Number.MAX_SAFE_INTEGER}), sum(r.failed), ${NO_CLASSES}
    FROM main.rollups r JOIN main.accounts a ON a.id = r.member_id JOIN temp.providers p ON p.name = ${PROVIDER_OF_KEY.replaceAll('key', 'a.key')}
    WHERE r.grouping = 1 GROUP BY r.tier_seconds, r.bucket_s, p.id;`
