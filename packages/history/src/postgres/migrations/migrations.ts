import { start } from './0000-start.ts'
import { rollupSpace } from './0001-rollup-space.ts'
import { failures } from './0002-failures.ts'
import { askedAccounts } from './0003-asked-accounts.ts'

/** Steps of the schema, in order; a version's number is that of its last step. Steps are never changed. */
export const migrations: readonly string[] = [start, rollupSpace, failures, askedAccounts]
