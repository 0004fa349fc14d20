import { isSafeSqlite } from '@svc/sqlite'
import { expect, it } from 'vitest'
import { sqliteVersion } from './sqlite.ts'

it('SQLite is safe here', () => {
  expect(isSafeSqlite(sqliteVersion())).toBe(true)
})
