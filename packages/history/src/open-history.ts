import type { OpenOptions, UsageLocation } from './contract/history-store.ts'
import { isAddress } from './postgres/address.ts'
import { openPostgresStore } from './postgres/postgres-store.ts'
import { openPostgresUsage } from './postgres/postgres-usage.ts'
import type { HistoryStore } from './sql/history-store.ts'
import type { StoredUsage } from './sql/usage-reader.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'
import { openSqliteUsage } from './sqlite/usage-reader.ts'

/** Opens the store at a location: the path of a file, for this process alone, or the address of a database. Rejects with HistoryError. */
export async function openHistory(
  location: string,
  options: OpenOptions = {},
): Promise<HistoryStore> {
  return isAddress(location)
    ? openPostgresStore(location, options)
    : openSqliteStore(location, options)
}

/** Opens a store to read usage and quota courses; never writes. Rejects with HistoryError. */
export async function openUsage(usage: UsageLocation): Promise<StoredUsage> {
  return isAddress(usage.location) ? openPostgresUsage(usage) : openSqliteUsage(usage)
}
