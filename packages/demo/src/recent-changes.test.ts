import { type EpochMs, epochMs, plusMs } from '@svc/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDemoSource, demoRecentChanges } from './index.ts'

const WEEK_START = Date.UTC(2026, 10, 16)
const anyNow = fc.integer({ min: WEEK_START, max: WEEK_START + 7 * 24 * 3_600_000 }).map(epochMs)
const atAnyTime = (check: (now: EpochMs) => void) =>
  fc.assert(fc.property(anyNow, check), { numRuns: 300 })

describe('the recent changes of the sample pool', () => {
  it('follow from the time, newest first and none later than now', () => {
    atAnyTime((now) => {
      const changes = demoRecentChanges(now)
      const times = changes.map(({ at }) => at)
      expect(changes).toEqual(demoRecentChanges(now))
      expect(times).toEqual([...times].sort((a, b) => b - a))
      expect(times[0]).toBeLessThanOrEqual(now)
      expect(changes.length).toBe(17)
    })
  })

  it('are of every kind', () => {
    atAnyTime((now) => {
      expect([...new Set(demoRecentChanges(now).map(({ detail }) => detail.code))].sort()).toEqual([
        'account_added',
        'account_removed',
        'account_renamed',
        'gateway_changed',
        'plan_changed',
        'source_changed',
        'status_changed',
        'vendor_reset',
        'window_exhausted',
        'window_reset',
      ])
    })
  })

  it('end with the gateway up and all sources live', () => {
    atAnyTime((now) => {
      const details = demoRecentChanges(now).map(({ detail }) => detail)
      expect(details.find(({ code }) => code === 'gateway_changed')).toEqual({
        code: 'gateway_changed',
        up: true,
      })
      expect(details.find(({ code }) => code === 'source_changed')).toEqual({
        code: 'source_changed',
        from: 'partial',
        to: 'live',
      })
    })
  })

  it('name accounts of the pool by title and key, but for the one that is gone', () => {
    const now = epochMs(WEEK_START)
    const accounts = createDemoSource().latest(now).sources.accounts.lastGood?.value.accounts ?? []
    const keyByTitle = new Map(accounts.map(({ title, selector }) => [title, selector.accountKey]))

    for (const { detail } of demoRecentChanges(now)) {
      if (!('title' in detail)) continue
      expect(keyByTitle.has(detail.title)).toBe(detail.code !== 'account_removed')
      expect(detail.accountKey).toBe(keyByTitle.get(detail.title))
    }
  })

  it('stay as they are from poll to poll', () => {
    atAnyTime((now) => {
      const earlier = new Set(demoRecentChanges(now).map((change) => JSON.stringify(change)))
      const fresh = demoRecentChanges(plusMs(now, 15_000)).filter(
        (change) => !earlier.has(JSON.stringify(change)),
      )
      expect(fresh.length).toBeLessThanOrEqual(4)
    })
  })
})
