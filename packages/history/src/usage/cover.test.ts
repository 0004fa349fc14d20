import { epochMs } from '@svc/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coverOf } from './cover.ts'
import { isKept } from './tiers.ts'

const DAY_MS = 86_400_000
const NOW = epochMs(Date.UTC(2026, 10, 20, 12))

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
