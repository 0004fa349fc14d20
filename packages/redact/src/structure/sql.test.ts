import { describe, expect, it } from 'vitest'
import { createSqlStatements } from './sql.ts'

/** What is hidden in these pieces of one dump, read one after the other. */
function hiddenIn(...pieces: readonly string[]): readonly string[] {
  const statements = createSqlStatements()
  let base = 0
  const hidden = pieces.flatMap((piece) => {
    const spans = statements.push(piece, base)
    for (const { start, end, value } of spans)
      expect(piece.slice(start - base, end - base)).toBe(value)
    base += piece.length
    return spans.map(({ value }) => value)
  })
  return hidden
}

const INSERT = 'INSERT INTO users (id, password, note) VALUES'

describe('a dump of a database', () => {
  it.each([
    {
      name: 'every row',
      sql: `${INSERT} (1,'a9x','x'),\n(2, 'b8y' ,'y');`,
      hidden: ['a9x', 'b8y'],
    },
    { name: 'a doubled quote', sql: `${INSERT} (1,'it''s 4u','x');`, hidden: ["it''s 4u"] },
    { name: 'an escaped quote', sql: `${INSERT} (1,'a\\'b9','x');`, hidden: ["a\\'b9"] },
    { name: 'a bracket and a comma', sql: `${INSERT} (1,'a),(b9','x');`, hidden: ['a),(b9'] },
    { name: 'a literal of bytes', sql: `${INSERT} (1,X'0a1b2c','x');`, hidden: ['0a1b2c'] },
    { name: 'a number', sql: `${INSERT} (1,77777777,'x');`, hidden: ['77777777'] },
    {
      name: 'columns in quotes',
      sql: 'INSERT INTO u (`id`,"api_key") VALUES (1,\'a9x\')',
      hidden: ['a9x'],
    },
    {
      name: 'another way to insert',
      sql: "INSERT OR IGNORE INTO u (token) VALUES ('a9x')",
      hidden: ['a9x'],
    },
    { name: 'a replacement', sql: "REPLACE INTO u (token) VALUES ('a9x')", hidden: ['a9x'] },
    {
      name: 'an update',
      sql: "UPDATE u SET name = 'x', password = 'a9x' WHERE id = 1",
      hidden: ['a9x'],
    },
    { name: 'a condition', sql: "SELECT 1 FROM u WHERE token = N'a9x'", hidden: ['a9x'] },
    { name: 'a cut statement', sql: `${INSERT} (1,'a9x`, hidden: ['1', 'a9x'] },
  ])('loses the secret of $name', ({ sql, hidden }) => {
    expect(hiddenIn(sql)).toEqual(hidden)
  })

  it.each([
    { name: 'columns without a secret', sql: "INSERT INTO u (id, note) VALUES (1,'a9x')" },
    { name: 'a table that is not known', sql: "INSERT INTO u VALUES (1,'a9x')" },
    { name: 'NULL', sql: `${INSERT} (1,NULL,'x')` },
    { name: 'an empty text', sql: `${INSERT} (1,'','x')` },
  ])('keeps $name', ({ sql }) => {
    expect(hiddenIn(sql)).toEqual([])
  })

  it('loses a whole row that does not fit its columns', () => {
    expect(hiddenIn(`${INSERT} (1,'n0te','a9x','b8y')`)).toEqual(['1', 'n0te', 'a9x', 'b8y'])
  })

  it('knows the columns of a table from its definition, pieces before', () => {
    const create =
      'CREATE TABLE IF NOT EXISTS main."Users" (id int(11), "api_key" text DEFAULT (1), n int);\n'

    expect(hiddenIn(create, '-- data\n', "INSERT INTO users VALUES (1,'a9x',2);\n")).toEqual([
      'a9x',
    ])
  })

  it('loses a column of rows that are copied, up to their end, whatever the pieces', () => {
    const pieces = [
      'COPY public.users (id, password) FROM stdin;\n1\ta9x\n',
      '2\tb8y\n3\t\\N\n',
      '\\.\n4\tc7z\n',
    ]

    expect(hiddenIn(...pieces)).toEqual(['a9x', 'b8y'])
    expect(hiddenIn(pieces.join(''))).toEqual(['a9x', 'b8y'])
  })
})
