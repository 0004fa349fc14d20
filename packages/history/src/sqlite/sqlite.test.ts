import { describe, expect, it } from 'vitest'
import { isSafeSqlite, sqliteVersion } from './sqlite.ts'

describe('SQLite', () => {
  it.each([
    ['3.51.2', false],
    ['3.51.3', true],
    ['3.52.0', true],
    ['4.0.0', true],
    ['3.40.1', false],
  ])('%s is safe: %s', (version, safe) => {
    expect(isSafeSqlite(version)).toBe(safe)
  })

  it('is safe here', () => {
    expect(isSafeSqlite(sqliteVersion())).toBe(true)
  })
})
