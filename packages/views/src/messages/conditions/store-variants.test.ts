import { describe, expect, it } from 'vitest'
import { databaseConditions, storeConditions } from '../en/history-failures.ts'
import { storeCondition, storeVariant, storeVariants } from './store-variants.ts'

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
