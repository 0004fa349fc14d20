import { start } from './0000-start.ts'
import { readingOrigin } from './0001-reading-origin.ts'
import { upstreams } from './0002-upstreams.ts'
import { failures } from './0003-failures.ts'
import { askedAccounts } from './0004-asked-accounts.ts'

/** Steps from an empty file to the newest schema. `user_version` counts those a store has taken. */
export const migrations: readonly string[] = [
  start,
  readingOrigin,
  upstreams,
  failures,
  askedAccounts,
]
