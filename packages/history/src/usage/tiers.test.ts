import { epochMs } from '@svc/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coverOf, isKept, tierFor, tiers } from './tiers.ts'

const DAY_MS = 86_400_000
const NOW = epochMs(Date.UTC(2026, 10, 20, 12))

describe('the widths of buckets', () => {
  it('divide each other, and a wider one is kept longer', () => {
    for (const [index, { seconds, keptSeconds }] of tiers.slice(1).entries()) {
      const finer = tiers[index]
      expect(seconds % (finer?.seconds ?? 0)).toBe(0)
      expect(keptSeconds).toBeGreaterThan(finer?.keptSeconds ?? 0)
    }
  })

  it.each([
    { bucketSeconds: 60, tier: 60 },
    { bucketSeconds: 840, tier: 60 },
    { bucketSeconds: 3_600, tier: 900 },
    { bucketSeconds: 21_600, tier: 7_200 },
    { bucketSeconds: 7 * 86_400, tier: 86_400 },
  ])('of a chart with buckets of $bucketSeconds s is $tier s', ({ bucketSeconds, tier }) => {
    expect(tierFor(bucketSeconds).seconds).toBe(tier)
  })

  it.each(tiers.slice(0, -1))('of $seconds s are kept until their time has passed', (tier) => {
    const edgeS = NOW / 1000 - tier.keptSeconds - tier.seconds
    expect([isKept(edgeS, tier, NOW), isKept(edgeS + 1, tier, NOW)]).toEqual([false, true])
  })
})

describe('the cover of a period', () => {
  it('has no hole and nothing twice, and reads no bucket that may be deleted already', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 * DAY_MS }), fc.nat(DAY_MS), (spanMs, sinceMs) => {
        const to = NOW + sinceMs
        const from = to - spanMs
        const cover = coverOf(from, to)
        const runs = [...cover.runs].sort((one, other) => one.from - other.from)
        let reached = from
        if (cover.rowsFrom < cover.rowsTo) {
          expect(cover.rowsFrom).toBe(reached)
          reached = cover.rowsTo
        }
        for (const run of runs) {
          expect(run.from).toBe(reached)
          expect(isKept(run.from / 1000, run.tier, epochMs(to))).toBe(true)
          expect(run.from % (run.tier.seconds * 1000)).toBe(0)
          expect(run.to % (run.tier.seconds * 1000)).toBe(0)
          reached = run.to
        }
        expect(reached).toBe(cover.tooMuchTo)
        expect(cover.tooMuchTo).toBeGreaterThanOrEqual(to)
      }),
    )
  })
})
