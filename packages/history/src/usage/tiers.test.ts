import { epochMs } from '@svc/core'
import { tiers } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import { isKept } from './tiers.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))

describe('the widths of buckets', () => {
  it('divide each other, and a wider one is kept longer', () => {
    for (const [index, { seconds, keptSeconds }] of tiers.slice(1).entries()) {
      const finer = tiers[index]
      expect(seconds % (finer?.seconds ?? 0)).toBe(0)
      expect(keptSeconds).toBeGreaterThan(finer?.keptSeconds ?? 0)
    }
  })

  it.each(tiers.slice(0, -1))('of $seconds s are kept until their time has passed', (tier) => {
    const edgeS = NOW / 1000 - tier.keptSeconds - tier.seconds
    expect([isKept(edgeS, tier, NOW), isKept(edgeS + 1, tier, NOW)]).toEqual([false, true])
  })
})
