import { start } from './0000-start.ts'
import { upstreams } from './0002-upstreams.ts'
import { COLUMNS, rates } from './0005-rates.ts'

/** Frozen, as every step. Null in what was recorded before, and in what comes from a backup. */
const readingOrigin = `
ALTER TABLE quota_samples ADD COLUMN origin TEXT;
ALTER TABLE quota_samples ADD COLUMN sampled_at_ms INTEGER;
`

/** Frozen, as every step. Of the failures before it is unknown what they failed with. */
const failures = `
ALTER TABLE usage ADD COLUMN failure INTEGER;

ALTER TABLE rollups ADD COLUMN failed_auth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN failed_limit INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN failed_vendor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN failed_other INTEGER NOT NULL DEFAULT 0;
`

/** Frozen, as every step. The last query of each file's account, and what refused it: it is written before the query goes out. */
const askedAccounts = `
CREATE TABLE asked_accounts (
  upstream TEXT NOT NULL,
  file TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (upstream, file)
) WITHOUT ROWID, STRICT;
`

/** Frozen, as every step. Sums by rate of everything, added up from those of clients. */
const totalRates = `
INSERT INTO cells (kind, member_id, model_id, upstream_id, provider_id, tier, band)
  SELECT DISTINCT 8, 0, model_id, upstream_id, provider_id, tier, band FROM cells WHERE kind = 7;
INSERT INTO rollups (grouping, tier_seconds, bucket_s, member_id, ${COLUMNS})
  SELECT 8, tier_seconds, bucket_s, total.id, ${COLUMNS.split(/,\s+/)
    .map((column) => `min(total(${column}), ${Number.MAX_SAFE_INTEGER})`)
    .join(', ')}
  FROM rollups JOIN cells AS client ON client.id = rollups.member_id
  JOIN cells AS total USING (model_id, upstream_id, provider_id, tier, band)
  WHERE grouping = 7 AND total.kind = 8 GROUP BY tier_seconds, bucket_s, total.id;
`

/** Steps from an empty file to the newest schema. `user_version` counts those a store has taken. */
export const migrations: readonly string[] = [
  start,
  readingOrigin,
  upstreams,
  failures,
  askedAccounts,
  rates,
  totalRates,
]
