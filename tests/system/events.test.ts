import { get } from 'node:http'
import { type VirtualClock, virtualClock } from '@svc/core/testing'
import { type FakeAccount, fetchOf, livePool } from '@svc/fake-proxy'
import { eventSchemas, type PoolEvent } from '@svc/views'
import * as v from 'valibot'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { seededRandom } from '../../tooling/bench/goals.ts'
import { settle, settleCompressed } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'

const SEED = 20_261_127
let clock: VirtualClock
let live: ProxiedService

beforeEach(async () => {
  clock = virtualClock(settle)
  const accounts = livePool(25, clock.now())
  live = await startService({ where: 'here', time: clock, accounts, fetchOf })
  await clock.advance(3 * 60_000)
})
afterEach(() => live.stop())

type Told = PoolEvent & { readonly id: number }

/** A client of the events; `told` has everything it was told, over all its connections. */
function aClient() {
  const told: Told[] = []
  let cut = () => {}
  const follow = () =>
    new Promise<void>((resolve) => {
      const last = told.at(-1)
      const headers = last === undefined ? {} : { 'Last-Event-ID': String(last.id) }
      let text = ''
      const asked = get(`${live.url}/api/v1/events`, { headers, agent: false }, (response) => {
        response.setEncoding('utf8')
        response.on('error', () => undefined)
        response.on('data', (chunk: string) => {
          text += chunk
          const blocks = text.split('\n\n')
          text = blocks.pop() ?? ''
          told.push(...blocks.flatMap(eventIn))
          resolve()
        })
      })
      asked.on('error', () => undefined)
      cut = () => asked.destroy()
    })
  return { told, follow, cut: () => cut() }
}

function eventIn(block: string): readonly Told[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const event = field('event') as PoolEvent['event'] | undefined
  if (event === undefined) return []
  const data: unknown = JSON.parse(field('data') ?? '')
  expect(v.parse(v.strictObject({ data: eventSchemas[event] }), { data })).toEqual({ data })
  return [{ id: Number(field('id')), event, data } as Told]
}

const newsOf = (told: readonly Told[]) => told.filter(({ event }) => event !== 'snapshot')

it('a client that is cut a hundred times misses no change and gets none twice', async () => {
  const random = seededRandom(SEED)
  const pick = <One>(all: readonly One[]) => all[Math.floor(random() * all.length)] as One
  const [steady, cut] = [aClient(), aClient()]
  await Promise.all([steady.follow(), cut.follow()])
  for (let count = 0; count < 100; count += 1) {
    cut.cut()
    await clock.advance(random() * 20_000)
    const account: FakeAccount = pick(live.fake.accounts)
    if (account.disabled) live.fake.enable(account)
    else live.fake.disable(account)
    await clock.advance(random() * 20_000)
    await cut.follow()
  }
  await clock.advance(30_000)
  await settleCompressed()
  const expected = newsOf(steady.told)
  await expect.poll(() => newsOf(cut.told).length).toBe(expected.length)

  expect(newsOf(cut.told)).toEqual(expected)
  expect(expected.filter(({ event }) => event === 'change').length).toBeGreaterThan(80)
  const ids = cut.told.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  expect(await live.metric('svc_quota_monitor_event_clients')).toBe(2)
})

it('an account that returns by time is told within a second, while somebody follows', async () => {
  const { told, follow } = aClient()
  await follow()
  const snapshots = () => told.flatMap((one) => (one.event === 'snapshot' ? [one.data] : []))
  await expect.poll(() => snapshots().length).toBeGreaterThan(0)
  const returnsAt = Date.parse(snapshots().at(-1)?.nextRoutableAt ?? '')
  const waitMs = returnsAt - clock.now()
  expect(waitMs).toBeGreaterThan(0)
  await clock.advance(waitMs - 1)
  await settleCompressed()
  expect(Date.parse(snapshots().at(-1)?.nextRoutableAt ?? '')).toBe(returnsAt)
  await clock.advance(1_000)

  await expect
    .poll(() => Date.parse(snapshots().at(-1)?.nextRoutableAt ?? 'never'))
    .not.toBe(returnsAt)
})
