import { type EpochMs, plusMs } from '@svc/core'
import type { Clock } from '@svc/core/service'
import { type VirtualClock, virtualClock } from '@svc/core/testing'
import { aFakeAccount, type FakeFault, fetchOf } from '@svc/fake-proxy'
import type { Health, StatusSnapshot } from '@svc/views'
import { afterEach, describe, expect, it, type TestContext } from 'vitest'
import { settle, settleCompressed } from '../../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../../tooling/service/start-service.ts'
import { underFault } from './base-line.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
/** The service runs in the process of the tests. */
const rssMbMax = 1_024

let live: ProxiedService
let clock: VirtualClock

afterEach(() => live.stop())

async function start(
  options: {
    readonly names?: readonly string[]
    readonly key?: string
    readonly shown?: (clock: VirtualClock) => Clock
  } = {},
) {
  clock = virtualClock(settle)
  const accounts = (options.names ?? ['one', 'two']).map((name) => aFakeAccount({ name }))
  const key = options.key === undefined ? {} : { key: options.key }
  live = await startService({
    where: 'here',
    time: options.shown?.(clock) ?? clock,
    accounts,
    fetchOf,
    ...key,
  })
}

async function passing(milliseconds: number): Promise<void> {
  await clock.advance(milliseconds)
  await settleCompressed()
}

const status = () => live.json<StatusSnapshot>('/api/v1/status')
const health = () => live.json<Health>('/api/v1/health')
const requestsTo = (route: string) =>
  live.fake.requests.filter((request) => request.route === route)
const titles = async () => (await status()).recommendations.items.map(({ title }) => title).sort()

/** How long until the data is live, in service seconds; Infinity after two minutes. */
async function secondsUntilLive(): Promise<number> {
  for (let seconds = 10; seconds <= 120; seconds += 10) {
    await passing(10 * SECOND_MS)
    if ((await status()).source === 'live') return seconds
  }
  return Number.POSITIVE_INFINITY
}

async function holds(context: TestContext, fault: () => Promise<string>): Promise<void> {
  const secrets = [live.fake.settings.managementKey, 'fake-at-one', 'fake-at-two']
  await underFault(
    context,
    { url: live.url, pid: process.pid, output: live.output, secrets },
    fault,
    {
      rssMbMax,
    },
  )
}

describe('what the proxy says', () => {
  it('401, a wrong key: tried once in two hours, never a ban', async (context) => {
    await start({ key: 'wrong-management-key' })
    await holds(context, async () => {
      await passing(120 * MINUTE_MS)
      const { refusedRequests, bannedRequests } = live.fake.stats
      const { actions } = await health()
      live.fake.settings.managementKey = 'wrong-management-key'
      live.reload()
      await passing(MINUTE_MS)

      expect({ refusedRequests, bannedRequests }).toEqual({ refusedRequests: 1, bannedRequests: 0 })
      expect(live.fake.stats.failedAttempts).toBeLessThanOrEqual(1)
      expect((await status()).source).toBe('live')
      return `1 refused request in 2 h, "${actions.find(({ kind }) => kind === 'auth')?.title}", live after the key was right`
    })
  })

  it('403 banned with "Try again in 12m3s": silent that long, and said until when', async (context) => {
    await start()
    await passing(MINUTE_MS)
    await holds(context, async () => {
      const body = '{"error":"IP banned due to too many failed attempts. Try again in 12m3s"}'
      for (const route of ['auth-files', 'usage-statistics-enabled', 'api-call'] as const)
        live.fake.setFault(route, { kind: 'status', status: 403, body })
      await passing(MINUTE_MS)
      const before = live.fake.stats.authenticatedRequests
      const action = (await health()).actions.find(({ kind }) => kind === 'auth')
      for (const route of ['auth-files', 'usage-statistics-enabled', 'api-call'] as const)
        live.fake.setFault(route, null)
      await passing(10 * MINUTE_MS)
      const during = live.fake.stats.authenticatedRequests - before
      await passing(3 * MINUTE_MS)

      expect(during).toBe(0)
      expect(action?.tone).toBe('bad')
      expect(`${action?.summary} ${action?.note} ${action?.detail}`).toMatch(/\d\d:\d\d/)
      expect((await status()).source).toBe('live')
      return `0 authenticated requests for 12 min, "${action?.summary}", live again by itself`
    })
  })

  it.for([
    ['with the headers of the proxy', { 'x-cpa-version': 'v7.2.140' }],
    ['without them', {}],
  ] as const)(
    '404 %s on one route: off or failed, without flapping',
    async ([, headers], context) => {
      await start()
      await passing(MINUTE_MS)
      await holds(context, async () => {
        live.fake.setFault('usage-statistics-enabled', { kind: 'status', status: 404, headers })
        const before = requestsTo('usage-statistics-enabled').length
        const seen = new Set<string>()
        for (let minute = 0; minute < 60; minute += 1) {
          await passing(MINUTE_MS)
          seen.add((await health()).sources.find(({ id }) => id === 'usage_statistics')?.code ?? '')
        }
        const asked = requestsTo('usage-statistics-enabled').length - before

        expect(seen.size).toBeLessThanOrEqual(2)
        expect(asked).toBeLessThanOrEqual(20)
        expect((await status()).source).toBe('live')
        return `codes ${[...seen].join(', ')}, ${asked} requests in 1 h, the rest live`
      })
    },
  )

  it.for<readonly [string, string | null, (waitSeconds: number) => boolean]>([
    ['120', '120', (wait) => wait >= 120 && wait < 122],
    ['a date in 90 s', 'date', (wait) => wait >= 88 && wait <= 91],
    ['-1', '-1', (wait) => wait <= 30],
    ['1e12', '1000000000000', (wait) => wait >= 3_600 && wait < 3_602],
    ['soon', 'soon', (wait) => wait <= 30],
    ['none', null, (wait) => wait <= 30],
  ])('429 with Retry-After %s', async ([, retryAfter, right], context) => {
    await start()
    await passing(MINUTE_MS)
    await holds(context, async () => {
      const value =
        retryAfter === 'date'
          ? new Date(clock.now() + 15 * SECOND_MS + 90 * SECOND_MS).toUTCString()
          : retryAfter
      const headers = value === null ? {} : { 'retry-after': value }
      const fault: FakeFault = { kind: 'status', status: 429, headers }
      live.fake.failNext('auth-files', fault)
      const before = requestsTo('auth-files').length
      for (let minute = 0; minute < 63 && requestsTo('auth-files').length < before + 2; minute += 1)
        await passing(MINUTE_MS)
      const [throttled, next] = requestsTo('auth-files').slice(before)
      const waitSeconds = ((next?.at ?? Number.NaN) - (throttled?.at ?? 0)) / 1000
      await passing(MINUTE_MS)

      // A date is told to the second, and the poll it answers comes up to a jitter later.
      expect([waitSeconds, right(waitSeconds)]).toEqual([waitSeconds, true])
      expect((await status()).source).toBe('live')
      return `asked again after ${waitSeconds.toFixed(1)} s`
    })
  })

  it.for([500, 502, 503])(
    '%i for 10 min: few requests, the data stale and not gone',
    async (code, context) => {
      await start()
      await passing(MINUTE_MS)
      await holds(context, async () => {
        const before = live.fake.stats.requestsByRoute['auth-files']
        for (const route of [
          'healthz',
          'auth-files',
          'usage-statistics-enabled',
          'api-call',
        ] as const)
          live.fake.setFault(route, { kind: 'status', status: code })
        await passing(10 * MINUTE_MS)
        const asked = live.fake.stats.requestsByRoute['auth-files'] - before
        const { source, recommendations } = await status()
        for (const route of [
          'healthz',
          'auth-files',
          'usage-statistics-enabled',
          'api-call',
        ] as const)
          live.fake.setFault(route, null)
        const mendedSeconds = await secondsUntilLive()

        // One scheduled attempt, four in quick succession (1 s × 2^n at most), then one per 30 s.
        expect(asked).toBeLessThanOrEqual(1 + 4 + 600 / 30)
        expect({ source, listed: recommendations.items.length }).toEqual({
          source: 'stale',
          listed: 2,
        })
        expect(mendedSeconds).toBeLessThanOrEqual(60)
        return `${asked} requests in 10 min, stale with 2 accounts, live within ${mendedSeconds} s`
      })
    },
  )
})

describe('what becomes of an account', () => {
  it('its file renamed, deleted, and its name taken by another: readings stay with whom they belong to', async (context) => {
    await start({ names: ['one', 'two'] })
    await passing(MINUTE_MS)
    await holds(context, async () => {
      const [one, two] = live.fake.accounts
      if (one === undefined || two === undefined) throw new Error('the fake lost an account')
      const keyOf = async (title: string) =>
        (await status()).recommendations.items.find((item) => item.title === title)?.accountKey
      const before = { one: await keyOf('one@example.com'), two: await keyOf('two@example.com') }
      const takenName = one.fileName
      live.fake.rename(one, 'codex-one-moved.json')
      live.fake.remove(two)
      live.fake.add(aFakeAccount({ name: 'three', fileName: takenName }))
      live.fake.setFault('api-call', { kind: 'status', status: 500 })
      await passing(MINUTE_MS)
      const { recommendations } = await status()
      const three = recommendations.items.find((item) => item.title === 'three@example.com')
      const moved = recommendations.items.find((item) => item.title === 'one@example.com')
      live.fake.setFault('api-call', null)

      expect(recommendations.items.map(({ title }) => title).sort()).toEqual([
        'one@example.com',
        'three@example.com',
      ])
      expect(moved?.accountKey).toBe(before.one)
      expect(moved?.quotaWindows[0]?.state).toBe('known')
      expect([before.one, before.two]).not.toContain(three?.accountKey)
      expect(three?.quotaWindows.map(({ state }) => state)).toEqual(['unknown', 'unknown'])
      return 'the renamed one kept key and readings, the newcomer under its old name has none'
    })
  })

  it('disabled while it is being queried: out of routing and capacity with the next list', async (context) => {
    await start()
    await passing(MINUTE_MS)
    await holds(context, async () => {
      const [one] = live.fake.accounts
      if (one === undefined) throw new Error('the fake lost an account')
      const tracked = (await status()).summary.fiveHour.trackedUnits
      live.fake.setFault('api-call', { kind: 'delay', delayMs: 50 * SECOND_MS })
      await passing(5 * MINUTE_MS)
      live.fake.disable(one)
      await passing(20 * SECOND_MS)
      const after = await status()
      live.fake.setFault('api-call', null)

      const item = after.recommendations.items.find(({ title }) => title === one.email)
      expect(item).toMatchObject({
        routingEligible: false,
        routingBlockedReasons: ['operator_disabled'],
      })
      expect(after.summary.fiveHour.trackedUnits).toBe(tracked - 1)
      return `blocked as operator_disabled, tracked units ${tracked} → ${after.summary.fiveHour.trackedUnits}`
    })
  })

  it('401 from the vendor: condemned only when the refusal is confirmed, and no login is ever refreshed', async (context) => {
    await start()
    await passing(MINUTE_MS)
    await holds(context, async () => {
      const [one] = live.fake.accounts
      if (one === undefined) throw new Error('the fake lost an account')
      const reasons = async () =>
        (await status()).recommendations.items.find(({ title }) => title === one.email)
          ?.routingBlockedReasons
      const lists = () => live.fake.stats.requestsByRoute['auth-files']
      live.fake.setVendor(one, 'token_invalidated')
      const refusals = () => live.fake.vendorCalls.filter((call) => call.token === one.token).length
      const before = refusals()
      while (refusals() === before) await clock.advance(SECOND_MS)
      const [afterFirst, listsAtFirst] = [await reasons(), lists()]
      await passing(MINUTE_MS)

      expect(afterFirst).toEqual([])
      expect(await reasons()).toContain('auth_invalid')
      expect(lists()).toBeGreaterThan(listsAtFirst)
      const urls = new Set(live.fake.vendorCalls.map(({ url }) => url))
      expect([...urls]).toEqual(['https://chatgpt.com/backend-api/wham/usage'])
      return 'routable after one 401, auth_invalid after the second with a list in between; one address ever asked'
    })
  })
})

describe('time', () => {
  it.for([
    ['1 h ahead', 3_600_000],
    ['1 h back', -3_600_000],
    ['1 year ahead', 365 * 86_400_000],
  ] as const)(
    'a wall clock that jumps %s and back: the pace stays, no time left is negative',
    async ([, jumpMs], context) => {
      let aheadMs = 0
      const shown = (real: VirtualClock): Clock => ({
        now: (): EpochMs => plusMs(real.now(), aheadMs),
        monotonicMs: () => real.monotonicMs(),
        schedule: (delayMs, task) => real.schedule(delayMs, task),
      })
      await start({ shown })
      await passing(5 * MINUTE_MS)
      await holds(context, async () => {
        const polls = async () => {
          const before = requestsTo('auth-files').length
          await passing(5 * MINUTE_MS)
          return requestsTo('auth-files').length - before
        }
        const usual = await polls()
        aheadMs = jumpMs
        const jumped = await polls()
        const during = JSON.stringify(await status())
        aheadMs = 0
        const back = await polls()

        expect([jumped, back].map((count) => Math.abs(count - usual) <= 1)).toEqual([true, true])
        expect(during).not.toMatch(/"(?:resetsInSeconds|ageSeconds|sampleAgeSeconds)":-/)
        expect(await titles()).toEqual(['one@example.com', 'two@example.com'])
        return `${usual}, ${jumped} and ${back} polls in 5 min each`
      })
    },
  )
})
