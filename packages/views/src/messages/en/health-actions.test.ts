import { describe, expect, it } from 'vitest'
import { type ActionCondition, clauseOf, type Words } from '../conditions/conditions.ts'
import { actionConditions } from './health-actions.ts'
import { storeConditions } from './history-failures.ts'
import { keyFileConditions } from './source-failures.ts'

describe('the catalogue of conditions', () => {
  it.each(Object.entries<ActionCondition>(actionConditions))(
    '%s has a title of its own and a remedy that is a sentence',
    (code, row) => {
      const others = Object.entries<ActionCondition>(actionConditions).filter(
        ([other]) => other !== code,
      )

      expect(others.map(([, { title }]) => title)).not.toContain(row.title)
      for (const sentence of [row.remedy, row.more ?? row.remedy])
        expect(sentence).toMatch(/^[A-Z].*\.$/)
      expect(row.summary !== undefined || row.variants !== undefined).toBe(true)
    },
  )

  it.each<[string, Words]>([
    ...Object.entries(storeConditions),
    ...Object.entries(keyFileConditions),
  ])('%s says in two sentences what is the case and what to do', (_, { summary, remedy }) => {
    expect(summary).toMatch(/^\S.*\.$/)
    expect(remedy).toMatch(/^[A-Z].*\.$/)
  })

  it.each([
    ['The store cannot be written.', 'the store cannot be written'],
    [
      'A newer version wrote it; it was left as it is.',
      'a newer version wrote it; it was left as it is',
    ],
    ['SQLite is too old.', 'SQLite is too old'],
    [
      'management_key_file does not name a regular file.',
      'management_key_file does not name a regular file',
    ],
  ])('"%s" as a clause is "%s"', (sentence, clause) => {
    expect(clauseOf(sentence)).toBe(clause)
  })
})
