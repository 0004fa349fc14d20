import { isAddress } from '../postgres/address.ts'
import type { WithBackupSource, WithImportTarget } from './format/import-target.ts'
import { postgresSource } from './postgres/postgres-source.ts'
import { postgresTarget } from './postgres/postgres-target.ts'
import { sqliteSource } from './sqlite/sqlite-source.ts'
import { sqliteTarget } from './sqlite/sqlite-target.ts'

export function sourceAt(location: string, passwordFile: string | null): WithBackupSource {
  return isAddress(location) ? postgresSource(location, passwordFile) : sqliteSource(location)
}

export function targetAt(location: string, passwordFile: string | null): WithImportTarget {
  return isAddress(location) ? postgresTarget(location, passwordFile) : sqliteTarget(location)
}
