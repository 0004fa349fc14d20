import type { UsageFailuresPayload } from '@svc/views'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setFilter, setSpan } from '../state/usage-question.ts'
import { draw, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import { causesSeen, FailureCauses } from './failure-causes.tsx'

const asked: string[] = []
const cause = (code: string, more: Partial<UsageFailuresPayload['causes'][number]> = {}) => ({
  provider: 'codex',
  status: 429,
  code,
  class: 'limit' as const,
  requests: 1_234,
  accounts: 2,
  firstAt: '2026-11-19T00:00:00.000Z',
  lastAt: '2026-11-20T00:00:00.000Z',
  meaning: null,
  ...more,
})
const answered = (causes: UsageFailuresPayload['causes']): UsageFailuresPayload => ({
  ...{ available: true, reason: null, since: null, ofRequests: 9_999, failed: 1_234, causes },
  ...{ from: '2026-11-19T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' },
})
const show = (query: object) => {
  const from = '2026-11-19T12:00:00.000Z'
  return draw(h(FailureCauses, { now: { query: { metric: 'tokens', from, ...query } } as never }))
}

beforeEach(() => {
  showPool([])
  globalThis.fetch = async (path) => {
    asked.push(String(path))
    return { ok: false, status: 503 } as Response
  }
})
afterEach(() => {
  asked.length = 0
  causesSeen.value = null
})

describe('the causes of failures', () => {
  it('are shown where failures are counted, the most frequent first, and what a code means', () => {
    const more = Array.from({ length: 11 }, (_, index) => cause(`c${index}`))
    const html = cause('html', { status: null, meaning: 'A page instead of an answer.' })
    causesSeen.value = answered([cause('usage_limit_reached'), html, ...more])
    const place = show({ metric: 'failed' })

    expect(wordsOfEach(place, 'tbody tr').slice(0, 2)).toEqual([
      '429 usage_limit_reached 1,234 2 2026-11-20',
      'not known html A page instead of an answer. 1,234 2 2026-11-20',
    ])
    expect(wordsOfEach(place, 'tbody tr')).toHaveLength(12)
    expect(wordsOf(place.querySelector('p'))).toBe('1 more cause. Counted by whole days of UTC.')
  })

  it.each([
    { query: { metric: 'failed' }, path: '' },
    { query: { metric: 'failed_auth' }, path: 'status=auth&' },
    { query: { filter: { result: ['failed'] } }, path: '' },
    { query: { filter: { status: ['limit'] } }, status: ['limit'], path: 'status=limit&' },
  ])('are asked for by $query', ({ query, status = [], path }) => {
    setFilter('status', status)
    show(query)

    expect(asked).toEqual([
      `/api/v1/usage/failures?${path}from=${encodeURIComponent('2026-11-19T12:00:00.000Z')}`,
    ])
  })

  it('are those of the accounts and the time asked for, of all clients', () => {
    setFilter('account', ['a'])
    setFilter('client', ['ci'])
    setSpan('2026-11-19', '2026-11-20')
    causesSeen.value = answered([])
    const place = show({ metric: 'failed' })

    expect(asked[0]).toMatch(/\?account=a&from=.*&to=2026-11-20$/)
    expect(place.querySelector('table')).toBeNull()
    expect(wordsOf(place.querySelector('p'))).toContain('Of all clients and models')
  })

  it.each([{ metric: 'tokens' }, { filter: { result: ['ok'] } }])('are not of %j', (query) => {
    causesSeen.value = answered([cause('x')])

    expect(show(query).childElementCount).toBe(0)
    expect(asked).toEqual([])
  })
})
