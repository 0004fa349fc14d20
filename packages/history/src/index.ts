export { exportBackup } from './backup/export-backup.ts'
export { importBackup } from './backup/import-backup.ts'
export { type ImportedRecords, importRecords } from './backup/import-records.ts'
export { HistoryError } from './contract/history-error.ts'
export type { RetentionPlan, TakenPrices } from './contract/history-store.ts'
export type { DayDifference } from './move/move-day.ts'
export { type MoveResult, moveHistory } from './move/move-history.ts'
export { openHistory, openUsage } from './open-history.ts'
export {
  type DatabaseInspection,
  databaseNames,
  databaseShape,
  inspectDatabase,
} from './postgres/inspect-database.ts'
export { type LeasesOptions, openPostgresLeases as openLeases } from './postgres/leases.ts'
export { queued, serialQueue } from './sql/connection.ts'
export type { HistoryStore } from './sql/history-store.ts'
export type { StoredUsage } from './sql/usage-reader.ts'
export {
  inspectSqlite,
  inspectStore,
  type StoreInspection,
  storeShape,
} from './sqlite/inspect-store.ts'
export { copyBeforeUpdate } from './sqlite/open-database.ts'
export { isStoreLocked } from './sqlite/store-lock.ts'
