import { noTrends } from '@svc/core/pool'
import type { UsageReading, UsageSummary } from '@svc/core/usage'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { aSnapshot, aUsageSummary } from '../testing/snapshots.ts'
import { statsTabSchema, statsView } from './stats.ts'

const text = createWording('UTC')
const usage = aUsageSummary()

function view(known: UsageSummary | UsageReading) {
  const seen = statsView(aSnapshot([]), {
    text,
    usage: 'kind' in known ? known : { kind: 'read', summary: known },
    trends: noTrends,
  })
  expect(v.safeParse(statsTabSchema, seen).issues).toBeUndefined()
  return seen
}

describe('the history in the usage tab', () => {
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
})
