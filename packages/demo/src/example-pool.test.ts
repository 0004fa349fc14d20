import { providerIds } from '@svc/core/service'
import { describe, expect, it } from 'vitest'
import { SAMPLE_POOL } from './example-pool.ts'

describe('the sample pool', () => {
  it('has no file and no index twice', () => {
    for (const nameOf of ['authName', 'authIndex'] as const)
      expect(new Set(SAMPLE_POOL.map((row) => row[nameOf])).size).toBe(SAMPLE_POOL.length)
  })

  it('has its 24 accounts of Codex first, then those of six providers and one without a name here', () => {
    const providers = SAMPLE_POOL.map(({ provider = 'codex' }) => provider)

    expect(providers.slice(0, 24)).toEqual(Array.from({ length: 24 }, () => 'codex'))
    expect([...new Set(providers)]).toEqual([...providerIds, 'kiro'])
    expect(providers.lastIndexOf('codex')).toBe(23)
  })

  it('shows nobody who exists: every address is at a name kept for examples', () => {
    for (const { title, authName } of SAMPLE_POOL) {
      const named = [...`${title} ${authName}`.matchAll(/@([\w.-]+?\.[a-z]+)/g)]
      for (const [, domain = ''] of named)
        expect(domain, title).toMatch(/(?:^|\.)example(?:\.(?:com|org|net))?$/)
    }
  })

  it.each(SAMPLE_POOL)('$title burns its windows down and resets ahead', ({ windows }) => {
    for (const { percent, resetsInMinutes } of windows) {
      const [first, last] = percent
      expect(last).toBeLessThanOrEqual(first)
      expect(first).toBeLessThanOrEqual(100)
      expect(last).toBeGreaterThanOrEqual(0)
      // A reset in the past would roll the window over while it is shown.
      expect(Math.min(...resetsInMinutes)).toBeGreaterThan(0)
    }
  })

  it.each(SAMPLE_POOL.filter(({ condition }) => /used_up$/.test(condition)))(
    '$title, which is used up, has a window at 0 all the time',
    ({ windows }) => {
      expect(windows.some(({ percent: [first, last] }) => first === 0 && last === 0)).toBe(true)
    },
  )

  it.each(SAMPLE_POOL.filter(({ condition }) => condition === 'spend_reached'))(
    '$title, whose limit has no known end, is read every few minutes as its action says',
    ({ sampling }) => {
      expect(sampling).toBe('primary')
    },
  )

  it.each(SAMPLE_POOL.filter(({ sampling }) => sampling === 'disabled_probe'))(
    '$title, which is probed by hand, is disabled',
    ({ condition }) => {
      expect(condition).toBe('disabled')
    },
  )
})
