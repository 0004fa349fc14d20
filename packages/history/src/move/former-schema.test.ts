import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openForReading, openForWriting } from '../sqlite/open-database.ts'
import { showAsPresent } from './former-schema.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const TABLES = [
  'upstreams',
  'providers',
  'feeds',
  'gaps',
  'usage',
  'rollups',
  'quota_samples',
  'accounts',
]
const folder = mkdtempSync(join(tmpdir(), 'svc-former-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.db')))(
  '%s is shown as the steps of the schema make it, and left as it is',
  (name) => {
    const [former, present] = [join(folder, `former-${name}`), join(folder, `present-${name}`)]
    for (const path of [former, present]) copyFileSync(join(FIXTURES, name), path)
    const upgraded = openForWriting(present)
    const shown = openForReading(former)
    showAsPresent(shown)

    for (const table of TABLES) {
      const columns = upgraded
        .prepare(`SELECT name FROM pragma_table_info('${table}') ORDER BY name`)
        .pluck()
        .all()
        // What stands for a provider is a number of the file's own.
        .filter((column) => !(table === 'providers' && column === 'id'))
      const select = `SELECT ${columns.join(', ')} FROM ${table} ${table === 'rollups' ? 'WHERE grouping <> 5' : ''} ORDER BY ${columns.join(', ')}`
      expect(shown.prepare(select).safeIntegers().all(), table).toEqual(
        upgraded.prepare(select).safeIntegers().all(),
      )
    }
    const byProvider = `SELECT p.name, tier_seconds, bucket_s, requests, tokens, failed FROM rollups r JOIN providers p ON p.id = member_id
      WHERE grouping = 5 ORDER BY 1, 2, 3`
    expect(shown.prepare(byProvider).all()).toEqual(upgraded.prepare(byProvider).all())
    expect(shown.prepare(byProvider).all()).not.toEqual([])
    expect(() => shown.exec('DELETE FROM main.usage')).toThrow()
    shown.close()
    upgraded.close()
    expect(readFileSync(former).equals(readFileSync(join(FIXTURES, name)))).toBe(true)
  },
)
