import type { Snapshot } from '@svc/core'
import { noTrends, type RecentChange } from '@svc/core/pool'
import { fromNow, NOW } from '@svc/core/testing'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { aMixedPool, anOpenAction, aSnapshot } from '../testing/snapshots.ts'
import { healthView } from './health.ts'
import { eventSchemas, newsView, type PoolEvent, snapshotEventView } from './pool-events.ts'

const text = createWording('Asia/Shanghai')
const noKey = anOpenAction({ tone: 'bad', action: { code: 'management_key_missing' } })
const rival = anOpenAction({ tone: 'warn', action: { code: 'usage_rival' } })
const gateway = (seconds: number, up: boolean): RecentChange => ({
  at: fromNow(seconds),
  tone: up ? 'good' : 'bad',
  detail: { code: 'gateway_changed', up },
})
const added: RecentChange = {
  at: NOW,
  tone: 'good',
  detail: { code: 'account_added', title: 'a@example.com', accountKey: '0123456789abcdef' },
}
function snapshotWith(
  recentChanges: readonly RecentChange[],
  ...actions: Snapshot['health']['actions']
): Snapshot {
  const snapshot = aSnapshot(aMixedPool(3), { recentChanges })
  return { ...snapshot, health: { ...snapshot.health, actions } }
}
const isOfSchema = ({ event, data }: PoolEvent) =>
  expect(v.parse(eventSchemas[event], data)).toEqual(data)

it('tells each change once, as the row that health has of it, and each action that came or went', () => {
  const earlier = [gateway(-60, true), gateway(-120, false)]
  const before = snapshotWith(earlier, rival)
  const after = snapshotWith([gateway(0, false), added, ...earlier], noKey)
  const news = newsView(before, after, text)
  const { recentChanges, actions } = healthView(after, { text, trends: noTrends })

  expect(news).toEqual([
    { event: 'change', data: recentChanges[0] },
    { event: 'change', data: recentChanges[1] },
    {
      event: 'action',
      data: { transition: 'opened', at: new Date(NOW).toISOString(), item: actions[0] },
    },
    {
      event: 'action',
      data: {
        transition: 'resolved',
        at: new Date(NOW).toISOString(),
        item: expect.objectContaining({ id: rival.id, code: 'usage_rival' }),
      },
    },
  ])
  expect(recentChanges[0]).toMatchObject({ code: 'gateway_changed', count: 3 })
  expect(recentChanges[1]).toMatchObject({ accountKeys: ['0123456789abcdef'] })
  for (const event of news) isOfSchema(event)
  expect(newsView(after, after, text)).toEqual([])
})

it('does not tell what an earlier process has recorded', () => {
  expect(newsView(snapshotWith([]), snapshotWith([gateway(-1, true)]), text)).toEqual([])
})

it('says of a snapshot what a follower decides by', () => {
  const event = snapshotEventView(aSnapshot(aMixedPool(20)), 'abc')

  isOfSchema(event)
  expect(event).toMatchObject({
    event: 'snapshot',
    data: { accountCount: 20, routableCount: 14, blockedCount: 6, state: 'good', etag: 'abc' },
  })
})
