import { describe, expect, it } from 'vitest'
import { storeConditions } from './history-failures.ts'

describe('the catalogue of store problems', () => {
  it.each(Object.entries(storeConditions))(
    '%s says in two sentences what is the case and what to do',
    (_, { summary, remedy }) => {
      expect(summary).toMatch(/^\S.*\.$/)
      expect(remedy).toMatch(/^[A-Z].*\.$/)
    },
  )

  it('has words of its own for each of them', () => {
    const all = Object.values(storeConditions).map(({ summary }) => summary)

    expect(new Set(all).size).toBe(all.length)
  })
})
