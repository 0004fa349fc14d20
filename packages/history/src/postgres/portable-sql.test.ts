import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** What other databases that speak this language do not do, or a pooler loses between two transactions. */
const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp, example: string])[] = [
  ['advisory locks', /\bpg_\w*advisory/i, 'SELECT pg_try_advisory_lock(1)'],
  ['notifications', /\b(?:UN)?LISTEN\s|\bNOTIFY\b/, 'LISTEN changes'],
  ['temporary tables', /\bTEMP(?:ORARY)?\s/i, 'CREATE TEMP TABLE t (x int)'],
  ['sequences', /\bnextval\b|\bSEQUENCE\b|\b\w*SERIAL\b|\bAS IDENTITY\b/i, 'id bigserial'],
  ['places of rows', /\bctid\b|\bxmin\b/i, 'WHERE xmin = 7'],
  ['triggers', /\bTRIGGER\b/i, 'CREATE TRIGGER t AFTER INSERT'],
  ['extensions', /\bEXTENSION\b/i, 'CREATE EXTENSION citext'],
  ['named statements', /\bPREPARE\b|\.query\(\s*\{/, "client.query({ name: 'one', text })"],
  ['settings of a connection', /['"`;]\s*SET (?!LOCAL\b)/, "run('SET lock_timeout = 1')"],
  ['a path of schemas', /\bsearch_path\b/i, 'SET LOCAL search_path = x'],
  [
    'tables without their schema',
    /\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+(?:usage|rollup_\w+|meta|upstreams|accounts|api_names|models|providers|feeds|gaps|leases|quarantine|quota_samples|capacity_points|recent_changes)\b(?!\.)/,
    'DELETE FROM gaps',
  ],
]
const DDL = /\b(?:CREATE|ALTER|DROP|TRUNCATE|ATTACH|DETACH)\s+(?:TABLE|SCHEMA|INDEX|PARTITION)\b/
/** Where tables are made and dropped. */
const WITH_DDL = ['migrate.ts', 'partitions.ts', join('migrations', '0000-start.ts')]

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: codeOf(readFileSync(join(import.meta.dirname, name), 'utf8')) }))

/** The text of a module without what is said of it. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

describe('the statements of the engine', () => {
  it.each(FORBIDDEN)('need no %s', (_, pattern, example) => {
    expect(example).toMatch(pattern)
    expect(files.length).toBeGreaterThan(25)
    expect(files.flatMap(({ name, text }) => (pattern.test(text) ? [name] : []))).toEqual([])
  })

  it('make and drop tables in few places', () => {
    expect(files.flatMap(({ name, text }) => (DDL.test(text) ? [name] : [])).sort()).toEqual(
      [...WITH_DDL].sort(),
    )
  })
})
