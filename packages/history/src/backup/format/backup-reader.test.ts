import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { backupTableNames } from './backup-format.ts'
import { readHead, readRows } from './backup-reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-reader-'))
const GAPS = ['[1,2,"restart","tokyo"]', '[3,4,"restart","tokyo"]']

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Backup {
  readonly gaps?: readonly string[]
  /** What the head says. */
  readonly gapCount?: number
  readonly formatVersion?: number
  readonly tables?: readonly string[]
}

/** The lines of a backup that holds gaps alone, checksum included. */
function linesOf({
  gaps = GAPS,
  gapCount = gaps.length,
  formatVersion = 4,
  tables = backupTableNames,
}: Backup = {}): readonly string[] {
  const counts = Object.fromEntries(
    backupTableNames.map((table) => [table, table === 'gaps' ? gapCount : 0]),
  )
  const head = JSON.stringify({
    format: 'svc-quota-monitor-history',
    formatVersion,
    exportedAt: 'then',
    appVersion: '0.1.0',
    schemaVersion: 1,
    containsSecrets: true,
    counts,
  })
  const body = tables.flatMap((table, index) => {
    const comma = index === tables.length - 1 ? '' : ','
    if (table !== 'gaps' || gaps.length === 0) return [`"${table}":[]${comma}`]
    const rows = gaps.map((row, at) => (at === gaps.length - 1 ? row : `${row},`))
    return [`"${table}":[`, ...rows, `]${comma}`]
  })
  const digest = createHash('sha256')
    .update(`{\n${body.join('\n')}\n}`)
    .digest('hex')
  return [`${head.slice(0, -1)},"tables":{`, ...body, `},"sha256":"${digest}"}`]
}

function reading<Result>(content: string | Buffer, read: (file: number) => Result): Result {
  const path = join(folder, 'backup.json')
  writeFileSync(path, content)
  const file = openSync(path, 'r')
  try {
    return read(file)
  } finally {
    closeSync(file)
  }
}
const rowsOf = (lines: readonly string[], end = '\n') =>
  reading(lines.join('\n') + end, (file) => [...readRows(file)])

describe('a backup', () => {
  it('gives its rows with their tables and the numbers of their lines', () => {
    const before = backupTableNames.indexOf('gaps') + 2
    const gap = (fromMs: number, toMs: number) => {
      return { fromMs, toMs, reason: 'restart', upstream: 'tokyo' }
    }

    expect(rowsOf(linesOf())).toEqual([
      { table: 'gaps', row: gap(1, 2), number: before + 1 },
      { table: 'gaps', row: gap(3, 4), number: before + 2 },
    ])
  })

  it('may lack the line feed at its end, and may hold nothing', () => {
    expect(rowsOf(linesOf(), '')).toHaveLength(2)
    expect(rowsOf(linesOf({ gaps: [] }))).toEqual([])
  })

  it.each(['\n\n', '\n\n\n\n', '\n \t\n', '\r\n\r\n', '\n   '])('may end with %j', (end) => {
    expect(rowsOf(linesOf(), end)).toHaveLength(2)
  })

  it('names the line of something behind blank lines', () => {
    const lines = linesOf()

    expect(() => rowsOf(lines, '\n\n\n{}\n')).toThrow(`line ${lines.length + 3}: `)
  })

  it('is read whole where rows and letters of several bytes lie across pieces of the file', () => {
    const names = ['', 'é', 'é€', 'é€😀']
    const gaps = Array.from(
      { length: 20_000 },
      (_, at) => `[${at},${at},"${names[at % 4]}","tokyo"]`,
    )
    const rows = rowsOf(linesOf({ gaps }))

    expect(rows.map(({ row }) => JSON.stringify(Object.values(row)))).toEqual(gaps)
  })

  it.each([
    { name: 'a line less', lines: linesOf({ gapCount: 3 }), error: /gaps: the number of rows/ },
    { name: 'a line more', lines: linesOf({ gapCount: 1 }), error: /gaps: the number of rows/ },
    {
      name: 'an empty table that should have rows',
      lines: linesOf({ gaps: [], gapCount: 1 }),
      error: /gaps: the number of rows/,
    },
    {
      name: 'a changed value',
      lines: linesOf().map((line) => line.replace('[1,2', '[1,3')),
      error: /the checksum does not match/,
    },
    { name: 'its end cut off', lines: linesOf().slice(0, -1), error: /ends in the middle/ },
    {
      name: 'something behind its end',
      lines: [...linesOf(), '{}'],
      error: /line \d+: not what a backup has there/,
    },
    {
      name: 'its tables in another order',
      lines: linesOf({ tables: backupTableNames.toReversed() }),
      error: /line 2: not what a backup has there/,
    },
    {
      name: 'a table less',
      lines: linesOf({ tables: backupTableNames.slice(0, -1) }),
      error: /not what a backup has there/,
    },
    {
      name: 'a row that is no JSON',
      lines: linesOf({ gaps: ['[1,2,'] }),
      error: /line \d+: not what a backup has there/,
    },
    {
      name: 'a row of another form',
      lines: linesOf({ gaps: ['[1,"2","restart","tokyo"]'] }),
      error: /line \d+: not a row of gaps/,
    },
    {
      name: 'a row that is too long',
      lines: linesOf({ gaps: ['[1,2,"restart","tokyo",0]'] }),
      error: /line \d+: not a row of gaps/,
    },
    {
      name: 'a row that is too short',
      lines: linesOf({ gaps: ['[1,2,"restart"]'] }),
      error: /line \d+: not a row of gaps/,
    },
    {
      name: 'a line longer than any row',
      lines: linesOf({ gaps: [`[1,2,"${'x'.repeat(200_000)}"]`] }),
      error: /longer than any row/,
    },
    {
      name: 'a format of a newer version',
      lines: linesOf({ formatVersion: 5 }),
      error: /format 5, which only a newer version/,
    },
    {
      name: 'a format of an older version',
      lines: linesOf({ formatVersion: 2 }),
      error: /format 2, which only an older version/,
    },
  ])('is refused with $name', ({ lines, error }) => {
    expect(() => rowsOf(lines)).toThrow(error)
  })

  it('is refused with bytes that are not UTF-8', () => {
    const bytes = Buffer.from(linesOf().join('\n'))
    bytes[bytes.indexOf('restart')] = 0xff

    expect(() => reading(bytes, (file) => [...readRows(file)])).toThrow(/not valid UTF-8/)
  })

  it.each([
    { name: 'indented by another program', indent: 2, error: /rewritten this backup/ },
    { name: 'written on one line by another program', indent: 0, error: /rewritten this backup/ },
  ])('is refused when it was $name', ({ indent, error }) => {
    const text = JSON.stringify(JSON.parse(linesOf().join('\n')), null, indent)

    expect(() => reading(text, readHead)).toThrow(error)
  })

  it.each(['', '\n', '{}', 'SQLite format 3\0', '{"format":"other","tables":{'])(
    'is not what begins with %j',
    (text) => {
      expect(() => reading(text, readHead)).toThrow('this is not a backup of a history store')
    },
  )
})
