import type { EpochMs } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import { NOW } from '@svc/core/testing'
import type { UsageReading, UsageSummary } from '@svc/core/usage'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { anEvaluatedAccount, aSnapshot, aUsageSummary } from '../testing/snapshots.ts'
import { statsTabSchema, statsView } from './stats.ts'

const text = createWording('UTC')
const usage = aUsageSummary()

function view(known: UsageSummary | UsageReading, snapshot = aSnapshot([])) {
  const seen = statsView(snapshot, {
    text,
    usage: 'kind' in known ? known : { kind: 'read', summary: known },
    trends: noTrends,
  })
  expect(v.safeParse(statsTabSchema, seen).issues).toBeUndefined()
  return seen
}

describe('the usage tab', () => {
  it('shows the live window, the counters and the history', () => {
    expect(view(usage)).toMatchObject({
      summary: '1,204 req · 12.5M tok in the last 24 h',
      live: {
        available: true,
        requests: 30,
        requestsPerMinute: 2,
        tokensPerMinute: 3_000,
        failureRateText: '10.0%',
        lastEventAt: '2026-11-20T11:59:40.000Z',
      },
      cumulative: {
        available: true,
        requests: 9_000,
        success: 8_910,
        failed: 90,
        successRateText: '99.0%',
      },
      history: {
        enabled: true,
        available: true,
        rows: 9_000,
        coveragePercent: 99.95,
        duplicates: 4,
        retentionDays: 90,
      },
    })
  })

  it('without a history is empty everywhere, and calls nothing zero that is unknown', () => {
    const seen = view({ kind: 'off' })

    expect(seen).toMatchObject({
      summary: 'No usage history',
      live: { available: false, lastEventAt: null, items: [] },
      cumulative: { available: false, requests: null, tokens: null, source: null },
      history: { enabled: false, available: false, earliest: null, coveragePercent: null },
      backup: { available: false },
    })
    expect(seen.sources.map(({ label, value }) => `${label}: ${value}`)).toContain('History: Off')
  })

  it('before the first reading says that the history is on, and nothing else', () => {
    expect(view({ kind: 'pending' })).toMatchObject({
      live: { available: false },
      history: { enabled: true, available: false },
      sources: [expect.anything(), { label: 'History', value: 'Not read yet' }],
    })
  })

  it.each([
    { what: 'a file', leases: undefined, place: '<path>' },
    { what: 'a database', leases: [], place: 'postgres://<host>/<database>' },
  ])('shows commands for a history in $what', ({ leases, place }) => {
    const { leases: _, ...snapshot } = aSnapshot([])
    const { backup } = view(usage, { ...snapshot, ...(leases === undefined ? {} : { leases }) })

    expect(backup.exportCommand).toContain(` --state-db ${place} `)
    expect(backup.importCommand).toContain(` --state-db ${place} `)
  })

  it('a history that holds nothing yet is on, and shows no request', () => {
    const empty = { requests: 0, tokens: 0, failed: 0 }
    const seen = view({
      live: { ...empty, lastEventAt: null, accounts: [], activeClients: 0 },
      lastDay: { ...empty, accounts: [], models: [] },
      history: {
        ...usage.history,
        totals: empty,
        earliest: null,
        latest: null,
        lastWriteAt: null,
        observedSeconds: 0,
        gapSeconds: 0,
      },
    })

    expect(seen).toMatchObject({
      live: { available: false },
      history: { enabled: true, available: false, coveragePercent: null },
    })
    expect(seen.live.items).toContainEqual({ label: 'Last request', value: 'None seen' })
    expect(seen.cumulative.successRateText).toBe('–')
  })

  it('never rounds coverage up to whole', () => {
    const seen = view({
      ...usage,
      history: { ...usage.history, observedSeconds: 1_000_000, gapSeconds: 1 },
    })

    expect(seen.history.coveragePercent).toBe(99.99)
  })

  it('takes the counters of the proxy where it counts, and says when they began again', () => {
    const accounts = ['a', 'b', 'c'].map((name) => anEvaluatedAccount(name))
    const counted = (restartedAt: EpochMs | null, tokens: number | null = null) => {
      const requestCounters = { success: 75, failed: 25, tokens, restartedAt }
      return view({ kind: 'off' }, aSnapshot(accounts, { requestCounters })).cumulative
    }

    expect(counted(null)).toMatchObject({
      available: true,
      requests: 100,
      success: 75,
      failed: 25,
      tokens: null,
      successRateText: '75.0%',
      since: null,
      source: 'Counters of the proxy',
      items: expect.arrayContaining([expect.objectContaining({ value: '3 accounts' })]),
    })
    expect(counted(null, 25_998_046)).toMatchObject({
      requests: 100,
      tokens: 25_998_046,
      source: 'Usage statistics of the proxy',
      items: expect.arrayContaining([{ label: 'Tokens', value: '26.0M' }]),
    })
    expect(counted(NOW)).toMatchObject({
      since: '2026-11-20T12:00:00.000Z',
      items: expect.arrayContaining([expect.objectContaining({ value: 'Restarted' })]),
    })
  })
})
