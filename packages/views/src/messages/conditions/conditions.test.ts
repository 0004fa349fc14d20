import { describe, expect, it } from 'vitest'
import { databaseConditions, storeConditions } from '../en/history-failures.ts'
import { keyFileConditions } from '../en/source-failures.ts'
import { clauseOf, storeCondition, storeVariant, storeVariants } from './conditions.ts'

describe('a sentence', () => {
  it.each([
    ['The store cannot be written.', 'the store cannot be written'],
    [
      'A newer version wrote it; it was left as it is.',
      'a newer version wrote it; it was left as it is',
    ],
    ['SQLite is too old.', 'SQLite is too old'],
    ['代理没有应答。', '代理没有应答'],
    [
      'management_key_file does not name a regular file.',
      'management_key_file does not name a regular file',
    ],
  ])('"%s" as a clause is "%s"', (sentence, clause) => {
    expect(clauseOf(sentence)).toBe(clause)
  })
})

it.each([...Object.entries(storeConditions), ...Object.entries(keyFileConditions)])(
  '%s says in two sentences of its own what is the case and what to do',
  (_, row) => {
    expect(row.summary).toMatch(/^\S.*\.$/)
    expect(row.remedy).toMatch(/^[A-Z].*\.$/)
    for (const rows of [storeConditions, keyFileConditions])
      expect(
        Object.values(rows).filter(({ summary }) => summary === row.summary).length,
      ).toBeLessThan(2)
  },
)

const words = { file: storeConditions, database: databaseConditions }

describe('the words of a store that fails', () => {
  it.each([
    ['disk_full', 'sqlite', storeConditions.disk_full],
    ['disk_full', 'postgres', databaseConditions.disk_full],
    ['login_refused', 'postgres', storeConditions.login_refused],
    ['crashed', 'postgres', storeConditions.crashed],
  ] as const)('of %s are those of %s, as an action and for doctor', (code, engine, expected) => {
    expect(storeCondition(words, code, engine)).toBe(expected)
    expect(storeVariants(words)[storeVariant(words, code, engine) ?? '']).toBe(expected)
  })

  it('are none where nobody knows why', () => {
    expect(storeVariant(words, null, 'postgres')).toBeNull()
  })
})
