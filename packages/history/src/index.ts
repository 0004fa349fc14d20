export { type ExportOptions, exportBackup } from './backup/export-backup.ts'
export { BackupError, type Progress } from './backup/format/backup-format.ts'
export type { ImportResult } from './backup/format/import-target.ts'
export { type ImportOptions, importBackup } from './backup/import-backup.ts'
export { HistoryError } from './contract/history-error.ts'
export type { HistoryStore, RetentionPlan, StoreFacts } from './contract/history-store.ts'
export type { StoredUsage } from './contract/stored-usage.ts'
export type { DayDifference } from './move/move-day.ts'
export { type MoveOptions, type MoveResult, moveHistory } from './move/move-history.ts'
export { openHistory, openUsage } from './open-history.ts'
export {
  type DatabaseInspection,
  type DatabaseNames,
  type DatabaseShape,
  databaseNames,
  databaseShape,
  inspectDatabase,
} from './postgres/inspect-database.ts'
export { type LeasesOptions, openPostgresLeases as openLeases } from './postgres/leases.ts'
export { queued, serialQueue } from './sql/connection.ts'
export {
  inspectSqlite,
  inspectStore,
  type StoreInspection,
  type StoreShape,
  storeShape,
} from './sqlite/inspect-store.ts'
export { copyBeforeUpdate } from './sqlite/open-database.ts'
export { isStoreLocked } from './sqlite/store-lock.ts'
