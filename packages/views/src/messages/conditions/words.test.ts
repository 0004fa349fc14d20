import { describe, expect, it } from 'vitest'
import { clauseOf } from './words.ts'

describe('a sentence', () => {
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
