import { noTrends } from '@svc/core/pool'
import type { Scheduler } from '@svc/core/service'
import { fromNow } from '@svc/core/testing'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { aMixedPool, aSnapshot } from '../testing/snapshots.ts'
import { healthSchema, healthView } from './health.ts'

const context = { text: createWording('UTC'), trends: noTrends }

it.each<readonly [seconds: number, tone: string, text: string]>([
  [-2, 'good', 'Routes requests by the ranking.'],
  [-60, 'good', 'Routes requests by the ranking.'],
  [-61, 'unknown', 'Does not ask now. It pauses after five minutes without requests.'],
])('of a scheduler that asked %i s ago health says whether it asks', (seconds, tone, text) => {
  const askedAt = fromNow(seconds)
  const schedulers: readonly Scheduler[] = [
    { version: '0.1.0', askedAt },
    { upstream: 'tokyo', version: '0.2.0', askedAt },
  ]
  const health = healthView({ ...aSnapshot(aMixedPool(3)), schedulers }, context)

  expect(v.parse(healthSchema, health)).toEqual(health)
  expect(health.readers).toMatchObject([
    { name: 'scheduler', tone, text, title: 'Scheduler plugin 0.1.0' },
    { name: 'scheduler', upstream: 'tokyo', tone, text, title: 'Scheduler plugin 0.2.0 · tokyo' },
  ])
})

it('before a first question health does not speak of readers', () => {
  expect(healthView(aSnapshot(aMixedPool(3)), context)).not.toHaveProperty('readers')
})
