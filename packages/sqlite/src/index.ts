export { type Database, inTransaction, type Statement } from './node-driver.ts'
export { isSafeSqlite, type Obstacle, openSqlite, usedDriver } from './open-sqlite.ts'
