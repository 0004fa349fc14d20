import { aFakeAccount, samplePool } from '@svc/collector/testing'
import { epochMs } from '@svc/core'
import type { Health, RecommendationItem, Recommendations, StatusSnapshot } from '@svc/views'
import { healthSchema, recommendationsSchema, statusSnapshotSchema } from '@svc/views'
import * as v from 'valibot'
import { afterEach, describe, expect, it } from 'vitest'
import { acceleratedClock } from './accelerated-clock.ts'
import { contractErrors, jsonPaths } from './contract.ts'
import { eventually, type LiveService, type LiveServiceOptions, startLiveService } from './live-service.ts'

/** One second of the test is half a minute of the service. Deadlines shrink with it, so more would fail on a slow machine. */
const FACTOR = 30
const PLANNED_INTERVAL_MS = (5 * 60_000) / FACTOR

let running: LiveService | null = null

afterEach(async () => {
  await running?.stop()
  running = null
})

async function service(options: Omit<LiveServiceOptions, 'clock'> & { readonly factor?: number }) {
  running = await startLiveService({ clock: acceleratedClock(options.factor ?? FACTOR), ...options })
  return running
}

const recommendations = (live: LiveService) => live.json<Recommendations>('/api/v1/recommendations')
const itemOf = async (live: LiveService, email: string): Promise<RecommendationItem | undefined> =>
  (await recommendations(live)).items.find((item) => item.title.startsWith(email))
const fiveHourPercent = (item: RecommendationItem | undefined) => item?.quotaWindows.find((window) => window.id === '5h')?.percent

/** What each account of the recorded pool must look like: badge-like status word, blocked reasons, and whether it is known to have quota. */
const EXPECTED: Readonly<Record<string, readonly [status: string, reasons: readonly string[]]>> = {
  'user1@example.com': ['Active', []],
  'user2@example.com': ['Active', []],
  'user3@example.com': ['Reset scheduled', ['quota_exhausted_5h', 'upstream_retry_after']],
  'user4@example.com': ['Active', []],
  'user5@example.com': ['Reset scheduled', ['quota_exhausted_week', 'upstream_retry_after']],
  'user6@example.com': ['Auth invalid', ['auth_invalid']],
  'user7@example.com': ['Deactivated', ['auth_invalid', 'upstream_retry_after']],
  'user8@example.com': ['Retry after', ['upstream_retry_after']],
  'user9@example.com': ['Retry after', ['upstream_retry_after']],
  'user10@example.com': ['Disabled', ['operator_disabled']],
  'user11@example.com': ['Active', []],
  'user13@example.com': ['Retry after', ['upstream_retry_after']],
}

describe('the live service over real sockets', () => {
  it('ranks the recorded pool right within 10 s of its start', async () => {
    const started = performance.now()
    const live = await service({ accounts: samplePool(epochMs(Date.now())), factor: 1 })
    await eventually('every routable account has a known window', 10_000, async () => {
      const { items } = await recommendations(live)
      const routable = items.filter((item) => item.routingEligible)
      return (
        items.length === 12 &&
        routable.length === 4 &&
        routable.every((item) => item.quotaWindows.some((window) => window.state === 'known'))
      )
    })

    const { items, routableCount, blockedCount, topScore } = await recommendations(live)
    expect(performance.now() - started).toBeLessThan(10_000)
    expect({ routableCount, blockedCount }).toEqual({ routableCount: 4, blockedCount: 8 })
    for (const item of items) {
      const [status, reasons] = EXPECTED[item.title] ?? ['', []]
      expect([item.title, item.summary.slice(0, status.length), item.routingBlockedReasons]).toEqual([item.title, status, reasons])
    }
    expect(items.slice(0, 4).map((item) => item.routingScore)).toEqual(
      [...items.slice(0, 4).map((item) => item.routingScore)].sort((a, b) => b - a),
    )
    expect(topScore).toBe(items[0]?.routingScore)
    expect(items.slice(4).every((item) => item.routingScore === 0)).toBe(true)
  })

  it('answers with what its contract says', async () => {
    const live = await service({ accounts: samplePool(epochMs(Date.now())) })
    await eventually('an account list', 5_000, async () => (await live.json<StatusSnapshot>('/api/v1/status')).available)

    for (const path of jsonPaths) expect(contractErrors(path, await live.json(path))).toEqual([])
    v.parse(statusSnapshotSchema, await live.json('/api/v1/status'))
    v.parse(recommendationsSchema, await live.json('/api/v1/recommendations'))
    v.parse(healthSchema, await live.json('/api/v1/health'))
  })

  it('shows a quota that moved at the vendor within the planned interval', async () => {
    const live = await service({ accounts: [aFakeAccount({ name: 'mover' })] })
    const [account] = live.fake.accounts
    if (account === undefined) throw new Error('the fake has no account')
    await eventually('a first sample', 5_000, async () => typeof fiveHourPercent(await itemOf(live, 'mover')) === 'number')
    const before = fiveHourPercent(await itemOf(live, 'mover'))

    live.fake.setVendor(account, 'exhausted_5h')

    // Jitter of a tenth, and one evaluation.
    await eventually('the new percent', PLANNED_INTERVAL_MS * 1.1 + 2_000, async () => fiveHourPercent(await itemOf(live, 'mover')) === 0)
    expect(before).not.toBe(0)
  })

  it('keeps the identity and the readings of a renamed auth file', async () => {
    const live = await service({ accounts: [aFakeAccount({ name: 'renamed' })] })
    const [account] = live.fake.accounts
    if (account === undefined) throw new Error('the fake has no account')
    await eventually('a first sample', 5_000, async () => typeof fiveHourPercent(await itemOf(live, 'renamed')) === 'number')
    const before = await itemOf(live, 'renamed')
    live.fake.setFault('api-call', { kind: 'status', status: 500 })

    live.fake.rename(account, 'codex-renamed@example.com-pro.json')

    await eventually(
      'the new name',
      5_000,
      async () => (await itemOf(live, 'renamed'))?.selector.authName === 'codex-renamed@example.com-pro.json',
    )
    const after = await itemOf(live, 'renamed')
    expect(after?.accountKey).toBe(before?.accountKey)
    expect(after?.authIndex).not.toBe(before?.authIndex)
    expect(fiveHourPercent(after)).toBe(fiveHourPercent(before))
  })

  it('counts two files of one account once', async () => {
    const accountId = '11111111-1111-4111-8111-111111111111'
    const twice = (fileName: string) => aFakeAccount({ name: 'twice', accountId, fileName })
    const live = await service({
      accounts: [twice('codex-twice@example.com-plus.json'), twice('codex-twice@example.com-team.json'), aFakeAccount({ name: 'once' })],
    })
    await eventually('three files', 5_000, async () => (await recommendations(live)).items.length === 3)

    const { summary } = await live.json<StatusSnapshot>('/api/v1/status')

    expect(summary.fiveHour.trackedUnits).toBe(2)
  })

  it('never uses the token of a disabled account', async () => {
    const live = await service({ accounts: [aFakeAccount({ name: 'off', disabled: true }), aFakeAccount({ name: 'on' })] })

    await eventually('the enabled one is queried twice', PLANNED_INTERVAL_MS * 2.5 + 3_000, () => live.fake.vendorCalls.length >= 2)

    expect(new Set(live.fake.vendorCalls.map((call) => call.token))).toEqual(new Set(['fake-at-on']))
  })

  it('blocks nobody over a Cloudflare page that answers our own query', async () => {
    const live = await service({ accounts: [aFakeAccount({ name: 'clouded', vendor: 'cloudflare_challenge' })] })

    await eventually('two blocked queries', 10_000, () => live.fake.vendorCalls.length >= 2)
    await eventually('it is listed', 5_000, async () => (await itemOf(live, 'clouded')) !== undefined)

    expect((await itemOf(live, 'clouded'))?.routingBlockedReasons).toEqual([])
  })

  it('condemns nobody over a 401 for an index that has just vanished, and does over one that stays', async () => {
    const live = await service({ accounts: [aFakeAccount({ name: 'moved' }), aFakeAccount({ name: 'dead', vendor: 'token_invalidated' })] })
    await eventually(
      'the dead login is condemned',
      8_000,
      async () => (await itemOf(live, 'dead'))?.routingBlockedReasons.includes('auth_invalid') === true,
    )
    const moved = live.fake.accounts.find((account) => account.email.startsWith('moved'))
    if (moved === undefined) throw new Error('the fake lost an account')
    live.fake.setFault('auth-files', { kind: 'status', status: 500 })

    live.fake.rename(moved, 'codex-moved-elsewhere.json')
    await eventually('a query with the old index', PLANNED_INTERVAL_MS * 1.2 + 3_000, () =>
      live.fake.vendorCalls.some((call) => call.token === '$TOKEN$'),
    )
    live.fake.setFault('auth-files', null)

    await eventually('the new name', 10_000, async () => (await itemOf(live, 'moved'))?.selector.authName === 'codex-moved-elsewhere.json')
    expect((await itemOf(live, 'moved'))?.routingBlockedReasons).toEqual([])
    const { actions } = await live.json<Health>('/api/v1/health')
    expect(actions.filter((action) => action.summary.includes('moved@'))).toEqual([])
  })
})
