import { describe, expect, it } from 'vitest'
import { keyFileConditions } from './key-file-problems.ts'

describe('the catalogue of key-file problems', () => {
  it.each(Object.entries(keyFileConditions))(
    '%s says in two sentences what is the case and what to do',
    (_, { summary, remedy }) => {
      expect(summary).toMatch(/^\S.*\.$/)
      expect(remedy).toMatch(/^[A-Z].*\.$/)
    },
  )

  it('has words of its own for each of them', () => {
    const all = Object.values(keyFileConditions).map(({ summary }) => summary)

    expect(new Set(all).size).toBe(all.length)
  })
})
