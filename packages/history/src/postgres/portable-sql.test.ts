import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Sources of the engine and of the statements that both have, without their comments. */
const sources = ['.', '../sql'].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => join(folder, path))
    .map((path) => ({ path, text: codeIn(readFileSync(join(import.meta.dirname, path), 'utf8')) })),
)

function codeIn(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

const placesOf = (pattern: RegExp): readonly string[] =>
  sources.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([found]) => `${path}: ${found.trim()}`),
  )

/** What PostgreSQL alone understands, what a pooler between us and it breaks, and what a store that stands in for it lacks. */
it.each([
  ['locks of the session', /\bpg_(?:try_)?advisory\w*/gi],
  ['messages between sessions', /\b(?:LISTEN|NOTIFY|UNLISTEN)\b/g],
  ['temporary tables', /\bTEMP(?:ORARY)?\s+(?:TABLE|VIEW|SEQUENCE)\b|\bpg_temp\b/gi],
  ['sequences', /\b(?:nextval|currval|SERIAL|BIGSERIAL|SEQUENCE|GENERATED)\b/g],
  ['places of rows', /\b(?:ctid|xmin|xmax|cmin|tableoid)\b/g],
  [
    'triggers and functions',
    /\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TRIGGER|FUNCTION|PROCEDURE|RULE)\b/gi,
  ],
  ['extensions', /\bEXTENSION\b/g],
  ['statements with a name', /\b(?:PREPARE|EXECUTE|DEALLOCATE)\b|\bquery\(\s*\{/g],
  ['cursors that outlive a transaction', /\b(?:DECLARE\s+\w+\s+CURSOR|WITH\s+HOLD)\b/gi],
  [
    'settings that outlive a transaction',
    /\bSET\s+(?:SESSION\b|(?!LOCAL\b)\w+\s*(?:=|TO)\s*'?\w+'?\s*[;`'"])/g,
  ],
  ['names that depend on a setting', /\bsearch_path\b/g],
])('no statement uses %s', (_, pattern) => {
  expect(placesOf(pattern)).toEqual([])
})

it('every table is named with its schema', () => {
  const tables =
    'upstreams|providers|accounts|api_names|models|usage|rollup_\\w+|quota_samples|capacity_points|recent_changes|gaps|quarantine|feeds|leases|meta|cells|causes|failure_causes|prices|price_sources'
  const bare = new RegExp(
    `\\b(?:FROM|JOIN|INTO|UPDATE|TABLE|LIKE|PARTITION)\\s+(?:ONLY\\s+|IF NOT EXISTS\\s+)?(?:${tables})\\b(?!\\.)`,
    'g',
  )
  expect(placesOf(bare)).toEqual([])
})

it('tables are made and dropped in one place, beside the steps of the schema', () => {
  const places = placesOf(/\b(?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|SCHEMA)\b/g)

  expect(new Set(places.map((place) => place.split(':')[0]))).toEqual(
    new Set([
      'migrate.ts',
      'migrations/0000-start.ts',
      'migrations/0004-rates.ts',
      'migrations/migrations.ts',
      'partitions.ts',
    ]),
  )
})
