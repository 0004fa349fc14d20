import { describe, expect, it } from 'vitest'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf } from '../testing/index.ts'
import { capacitiesOf } from './provider-pool.ts'

/** An account of a provider with this percent left of each window; null for one that was never read. */
function accountOf(
  provider: string,
  name: string,
  percents: Readonly<Record<string, number>> | null,
) {
  const windows = Object.entries(percents ?? {}).map(([id, percent]) => ({
    id,
    periodSeconds: null,
    percent,
    resetAt: null,
  }))
  const account = anAccount(name, { provider, claimedPlan: null })
  return [account, percents === null ? null : evidenceOf([aQuotaSample({}, { windows })])] as const
}

/** Windows of the pool with the units known and unknown in each. */
function countsOf(...accounts: readonly ReturnType<typeof accountOf>[]) {
  const [pool] = aSnapshot(accounts).pools
  if (pool === undefined) throw new Error('the pool is empty')
  return capacitiesOf(pool).map(({ windowId, knownUnits, unknownUnits }) => [
    windowId,
    knownUnits,
    unknownUnits,
  ])
}

describe('the windows in which a pool is counted', () => {
  it('are those that some account has, although another was not read', () => {
    expect(countsOf(accountOf('xai', 'ana', { week: 40 }), accountOf('xai', 'bob', null))).toEqual([
      ['week', 0.4, 1],
    ])
  })

  it('are both main ones while nothing was read', () => {
    expect(countsOf(accountOf('xai', 'ana', null))).toEqual([
      ['5h', 0, 1],
      ['week', 0, 1],
    ])
  })

  it('are none where the vendor meters by model alone', () => {
    expect(countsOf(accountOf('antigravity', 'ana', { 'gemini:week': 40 }))).toEqual([])
  })

  it('count an account without a month by the window that meters it', () => {
    const month = accountOf('kimi', 'ana', { '5h': 50, month: 20 })
    const week = accountOf('kimi', 'bob', { '5h': 50, week: 60 })

    expect(countsOf(month, week)).toEqual([
      ['5h', 1, 0],
      ['week', 0.8, 0],
      ['month', 0.8, 0],
    ])
  })
})
