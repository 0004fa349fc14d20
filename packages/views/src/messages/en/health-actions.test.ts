import { describe, expect, it } from 'vitest'
import type { ActionCondition } from '../conditions/conditions.ts'
import { actionConditions } from './health-actions.ts'

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
})
