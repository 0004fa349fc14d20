import type { WithBackupSource } from './format/backup-source.ts'
import type { WithImportTarget } from './format/import-target.ts'
import { sqliteSource } from './sqlite/sqlite-source.ts'
import { sqliteTarget } from './sqlite/sqlite-target.ts'

/** What a backup of the store at a location is written from. */
export function sourceAt(location: string): WithBackupSource {
  return sqliteSource(location)
}

/** What takes the rows of a backup at a location. */
export function targetAt(location: string): WithImportTarget {
  return sqliteTarget(location)
}
