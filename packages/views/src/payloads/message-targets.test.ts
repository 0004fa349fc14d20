import type { NotifyStanding } from '@svc/core/notify'
import { noTrends } from '@svc/core/pool'
import { fromNow } from '@svc/core/testing'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { aMixedPool, aSnapshot } from '../testing/snapshots.ts'
import { healthSchema, healthView } from './health.ts'

const context = { text: createWording('UTC'), trends: noTrends }
const untried: NotifyStanding = {
  name: 'phone',
  kind: 'ntfy',
  sentCount: 0,
  lostCount: 0,
  waitingCount: 0,
  lastSentAt: null,
  failure: null,
  isFailing: false,
}

it.each<readonly [why: string, changes: Partial<NotifyStanding>, tone: string, text: string]>([
  ['nothing was sent', {}, 'unknown', 'Nothing has been sent yet.'],
  ['it works', { sentCount: 3, lastSentAt: fromNow(-3_600) }, 'good', 'Last sent at 11:00.'],
  [
    'it fails',
    {
      lastSentAt: fromNow(-3_600),
      failure: { code: 'refused', since: fromNow(-60) },
      waitingCount: 1,
      lostCount: 2,
    },
    'warn',
    'The receiver refused the message. It has failed since 11:59. Last sent at 11:00. A message waits for the next attempt. 2 were given up.',
  ],
])('health says of a target of which %s how it stands', (_, changes, tone, text) => {
  const health = healthView(
    { ...aSnapshot(aMixedPool(3)), notify: [{ ...untried, ...changes }] },
    context,
  )

  expect(v.parse(healthSchema, health)).toEqual(health)
  expect(health.messages).toMatchObject([{ name: 'phone', kind: 'ntfy', tone, text }])
})

it('without targets health does not speak of messages', () => {
  expect(healthView(aSnapshot(aMixedPool(3)), context)).not.toHaveProperty('messages')
})
