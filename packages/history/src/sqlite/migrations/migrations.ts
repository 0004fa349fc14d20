import { start } from './0000-start.ts'
import { upstreams } from './0002-upstreams.ts'
import { rates } from './0005-rates.ts'

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

/** Steps from an empty file to the newest schema. `user_version` counts those a store has taken. */
export const migrations: readonly string[] = [
  start,
  readingOrigin,
  upstreams,
  failures,
  askedAccounts,
  rates,
]
