import fc from 'fast-check'
import { expect, it } from 'vitest'
import { aQuotaSample, fromNow } from '../testing/builders.ts'
import { type QuotaSample, withPassiveSample } from './reading.ts'

const IDS = ['5h', 'week', 'premium:week', 'opus:week', 'sonnet:week', 'extra:month'] as const

/** A sample of these windows, each of which is reset every `RESET_SECONDS`. */
const aSample = fc
  .record({ at: fc.nat(40), ids: fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1 }) })
  .map(
    ({ at, ids }): QuotaSample => ({
      ...aQuotaSample({}, { origin: 'headers', limitReached: true }),
      sampledAt: fromNow(at),
      windows: ids.map((id) => ({
        id,
        periodSeconds: RESET_SECONDS,
        percent: at,
        resetAt: fromNow((Math.floor(at / RESET_SECONDS) + 1) * RESET_SECONDS),
      })),
    }),
  )
const RESET_SECONDS = 15

it('each window is the newest reading of it that has not been reset, with its own time', () => {
  fc.assert(
    fc.property(fc.array(aSample, { minLength: 1, maxLength: 12 }), (added) => {
      const kept = added.reduce(withPassiveSample, [])
      const newest = kept.at(-1)
      const now = newest?.sampledAt ?? 0
      const latest = Math.max(...added.map(({ sampledAt }) => sampledAt))

      expect(now).toBe(latest)
      expect(kept.length).toBeLessThanOrEqual(4)
      const shown = kept.flatMap(({ windows }) => windows.map(({ id }) => id))
      expect(new Set(shown).size).toBe(shown.length)
      for (const sample of kept.slice(0, -1)) {
        expect(sample).toMatchObject({ limitReached: false })
        for (const { id, resetAt } of sample.windows) {
          expect(resetAt).toBeGreaterThan(now)
          const readAt = added
            .filter(({ windows }) => windows.some((window) => window.id === id))
            .map(({ sampledAt }) => sampledAt)
          expect(sample.sampledAt).toBe(Math.max(...readAt))
        }
      }
    }),
  )
})

it('samples of other origins stay as they are', () => {
  const direct = aQuotaSample()
  const headers = aQuotaSample({}, { origin: 'headers' })

  expect(withPassiveSample([headers, direct], headers)).toEqual([direct, headers])
})
