import { isAddress } from '../postgres/address.ts'
import type { BackupSource } from './format/backup-lines.ts'
import { withDatabaseSource } from './postgres/postgres-source.ts'
import { withDatabaseTarget } from './postgres/postgres-target.ts'
import { withFileSource } from './sqlite/sqlite-source.ts'
import { withFileTarget } from './sqlite/sqlite-target.ts'
import type { ImportOrigin, ImportTarget } from './target/import-target.ts'

/** Reads a store of any engine. Rejects with HistoryError and the errors of `read`. */
export function withSource<Result>(
  location: string,
  passwordFile: string | null,
  read: (source: BackupSource) => Promise<Result>,
): Promise<Result> {
  return isAddress(location)
    ? withDatabaseSource(location, passwordFile, read)
    : withFileSource(location, read)
}

/** Opens a store of any engine for an import, and closes it at the end. Rejects with HistoryError and the errors of `write`. */
export function withTarget<Result>(
  location: string,
  passwordFile: string | null,
  origin: ImportOrigin,
  write: (target: ImportTarget) => Promise<Result>,
): Promise<Result> {
  return isAddress(location)
    ? withDatabaseTarget(location, passwordFile, origin, write)
    : withFileTarget(location, origin, write)
}
