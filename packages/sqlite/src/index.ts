export { type Database, inTransaction, type Statement } from './database.ts'
export { isSafeSqlite, type Obstacle, openSqlite, usedDriver } from './open-sqlite.ts'
