import { createRequire } from 'node:module'
import type Postgres from 'pg'
import { HistoryError } from '../contract/history-error.ts'

let loaded: typeof Postgres | null = null

/** The driver, loaded when it is first needed: a service that keeps its history in SQLite never loads it. Throws HistoryError: module_missing. */
export function loadPostgres(): typeof Postgres {
  if (loaded !== null) return loaded
  try {
    loaded = createRequire(import.meta.url)('pg') as typeof Postgres
    return loaded
  } catch {
    throw new HistoryError(
      'module_missing',
      'the PostgreSQL driver (pg) is not installed',
      'Install svc-quota-monitor again without --omit=optional.',
    )
  }
}
