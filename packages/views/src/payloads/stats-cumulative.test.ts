import type { EpochMs } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { anEvaluatedAccount, aSnapshot } from '../testing/snapshots.ts'
import { statsView } from './stats.ts'

const text = createWording('UTC')
describe('the counters', () => {
  it('takes the counters of the proxy where it counts, and says when they began again', () => {
    const counted = (restartedAt: EpochMs | null, tokens: number | null = null) =>
      statsView(
        aSnapshot(
          ['a', 'b', 'c'].map((name) => anEvaluatedAccount(name)),
          {
            requestCounters: { success: 75, failed: 25, tokens, restartedAt },
          },
        ),
        {
          text,
          usage: { kind: 'off' },
          trends: noTrends,
        },
      ).cumulative

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
