import { noTrends } from '@svc/core/pool'
import { type SchedulerState, schedulerStates } from '@svc/core/service'
import { aScheduler, fromNow } from '@svc/core/testing'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { aMixedPool, aSnapshot } from '../testing/snapshots.ts'
import { healthSchema, healthView } from './health.ts'

const context = { text: createWording('UTC'), trends: noTrends }

it.each<readonly [seconds: number, state: SchedulerState, tone: string, text: string]>([
  [-2, 'routes', 'good', 'Routes requests by the ranking.'],
  [-61, 'pauses', 'unknown', 'Does not ask now. It pauses after five minutes without requests.'],
])(
  'of a scheduler that asked %i s ago health says whether it routes',
  (seconds, state, tone, text) => {
    const asked = { askedAt: fromNow(seconds), consultedAt: fromNow(seconds) }
    const schedulers = [aScheduler(asked), aScheduler({ ...asked, upstream: 'tokyo' })]
    const health = healthView({ ...aSnapshot(aMixedPool(3)), schedulers }, context)

    expect(v.parse(healthSchema, health)).toEqual(health)
    expect(health.readers).toMatchObject([
      { name: 'scheduler', state, tone, text, title: 'Scheduler plugin 0.2.0', pickCount: 39 },
      { upstream: 'tokyo', state, tone, text, title: 'Scheduler plugin 0.2.0 · tokyo' },
    ])
  },
)

it('a scheduler that does not do its work is a warning with a remedy', () => {
  const schedulers = [aScheduler({ requestCount: 9, consultedAt: null })]
  const health = healthView({ ...aSnapshot(aMixedPool(3)), schedulers }, context)

  expect(health.readers).toMatchObject([
    {
      state: 'not_consulted',
      tone: 'warn',
      text: expect.stringMatching(
        /another scheduler plugin comes first\. Give this plugin a higher/,
      ),
    },
  ])
})

it('each state has words in each language', () => {
  for (const language of ['en', 'zh-CN'] as const) {
    const { states } = createWording('UTC', language).words.schedulers
    expect(Object.keys(states).sort()).toEqual([...schedulerStates].sort())
    expect(new Set(Object.values(states).map(({ what }) => what)).size).toBe(schedulerStates.length)
  }
})

it('before a first question health does not speak of readers', () => {
  expect(healthView(aSnapshot(aMixedPool(3)), context).readers).toBeUndefined()
})
