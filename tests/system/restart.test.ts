import { DAY_MS, epochMs, plusMs } from '@svc/core'
import { aFakeAccount, fakeRoutes } from '@svc/fake-proxy'
import { openSqlite } from '@svc/sqlite'
import type { Health, Recommendations, StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { eventually, pause } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine } from '../../tooling/test-instant.ts'
import { type OwnStore, ownStore } from './own-store.ts'

/** Service seconds in one real second. */
const FACTOR = paceOfBusyMachine(20)
const clock = acceleratedClock({ factor: FACTOR })

/** A busy machine makes no query late, and a query to a proxy that hangs is still under way when its test reads the answers. */
const flagsOf = ({ path }: OwnStore) => ({
  'state-db': path,
  'history-write-seconds': '15',
  'upstream-timeout-seconds': '300',
})
const rows = async (live: ProxiedService) =>
  (await live.json<StatusSnapshot>('/api/v1/status')).tabs.pool.accounts
const states = async (live: ProxiedService): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (await rows(live)).map(({ title, status, windows }) => [
      title,
      [status.text, ...windows.map(({ percent }) => percent)].join(' '),
    ]),
  )
const changes = async (live: ProxiedService) =>
  (await live.json<Health>('/api/v1/health')).recentChanges.map(
    ({ code, title, summary }) => `${code} ${title} ${summary}`,
  )
/** The banked resets of accounts that have some. */
const bankedOf = async (live: ProxiedService) =>
  (await live.json<Recommendations>('/api/v1/recommendations')).items.flatMap(
    ({ bankedResets }) => bankedResets ?? [],
  )
/** When the list was read that the store holds. */
function keptListAt({ path }: OwnStore): number {
  const db = openSqlite(path, { readonly: true })
  try {
    const standing = db.prepare("SELECT value FROM meta WHERE name = 'pool'").pluck().get()
    return standing === undefined ? 0 : JSON.parse(String(standing)).listedAt
  } finally {
    db.close()
  }
}
/** Long enough for accounts to be asked about twice, and for the store to be written. */
const settled = () => pause(60_000 / FACTOR)

/** A pool of which every account is in another state. */
async function service(store: OwnStore): Promise<ProxiedService> {
  const accounts = [
    aFakeAccount({
      name: 'ana',
      bankedResets: { expiresAt: [plusMs(epochMs(clock.now()), 20 * DAY_MS)], list: 'answered' },
    }),
    aFakeAccount({ name: 'bob' }),
    aFakeAccount({ name: 'cem' }),
    aFakeAccount({ name: 'dia' }),
    aFakeAccount({ name: 'eve' }),
  ]
  const live = await startService({
    where: 'here',
    time: clock,
    accounts,
    flags: flagsOf(store),
    prepare(fake) {
      const [, bob, cem, dia, eve] = accounts
      if (bob === undefined || cem === undefined || dia === undefined || eve === undefined)
        throw new Error('five accounts')
      fake.setVendor(bob, 'token_invalidated')
      fake.setVendor(cem, 'exhausted_week')
      fake.disable(dia)
      fake.setStatus(eve, {
        status: 'error',
        statusMessage: '{"error":{"code":"token_revoked"}}',
        unavailable: true,
      })
    },
  })
  store.use(live)
  await eventually(
    'the refused login is known',
    async () => (await states(live))['bob@example.com']?.startsWith('Auth') === true,
  )
  await settled()
  return live
}

describe.concurrent('a service that is started again', () => {
  it('a restart with the same store invents no change, however often', async (context) => {
    const store = ownStore(context)
    let live = await service(store)
    const before = { states: await states(live), changes: await changes(live) }
    for (let round = 0; round < 3; round += 1) {
      live = await live.restart(flagsOf(store))
      store.use(live)
      await eventually('the accounts are listed', async () => (await rows(live)).length === 5)
      await settled()
      expect({ states: await states(live), changes: await changes(live) }).toEqual(before)
    }
  })

  it('what has changed meanwhile is told once', async (context) => {
    const store = ownStore(context)
    let live = await service(store)
    const before = await changes(live)
    await live.pause()
    const [ana] = live.fake.accounts
    if (ana === undefined) return
    live.fake.disable(ana)
    live = await live.restart(flagsOf(store))
    store.use(live)
    const more = async () => (await changes(live)).filter((change) => !before.includes(change))
    await eventually('the change shows', async () => (await more()).length > 0)
    await settled()
    // A proxy that reads its files anew has forgotten what was wrong with eve.
    const both = ['status_changed ana@example.com', 'status_changed eve@example.com']
    expect((await more()).map((change) => change.split(' ').slice(0, 2).join(' ')).sort()).toEqual(
      both,
    )
    live = await live.restart(flagsOf(store))
    store.use(live)
    await eventually('the changes are told again', async () => (await more()).length > 0)
    await settled()
    expect(await more()).toHaveLength(both.length)
  })

  it('with the proxy down the last readings are shown, stale and with their age', async (context) => {
    const store = ownStore(context)
    let live = await service(store)
    const before = await states(live)
    await eventually(
      'resets are listed',
      async () => (await bankedOf(live))[0]?.expiresAt.length === 1,
    )
    const banked = await bankedOf(live)
    expect(banked).toMatchObject([{ count: 1, stale: false }])
    const { sampledAt } = (await live.json<StatusSnapshot>('/api/v1/status')).recommendations
    const shownAt = Date.parse(sampledAt ?? '')
    // The store is written every few seconds, and only what it holds outlives the service.
    await eventually('that list is kept', () => keptListAt(store) >= shownAt)
    await live.pause()
    const pausedAt = clock.now()
    for (const route of fakeRoutes) live.fake.setFault(route, { kind: 'drop' })
    live = await live.restart(flagsOf(store))
    store.use(live)
    await eventually('the accounts are there', async () => (await rows(live)).length === 5)
    const status = await live.json<StatusSnapshot>('/api/v1/status')
    expect(status).toMatchObject({ available: true, source: 'stale' })
    expect(await states(live)).toEqual(before)
    expect(await bankedOf(live)).toEqual([{ ...banked[0], stale: true }])
    expect(Date.parse(status.recommendations.sampledAt ?? '')).toBeGreaterThanOrEqual(shownAt)
    expect(Date.parse(status.recommendations.sampledAt ?? '')).toBeLessThanOrEqual(pausedAt)
    const { answer } = status.summary
    // Before the first attempt has failed, the answer is that of the readings.
    expect(answer?.code).toMatch(/^(proxy_down|go)/)
    expect(answer?.text).toMatch(/readings are from \d\d:\d\d, /)
    expect(answer?.text).toMatch(/\d Plus usable/)
    expect(answer?.tone).not.toBe('good')
    await eventually('it is told', async () =>
      (await live.json<Health>('/api/v1/health')).actions.some(
        ({ code }) => code === 'snapshot_stale',
      ),
    )
  })

  it('with a proxy that hangs the answer is of the last readings, and says when they were made', async (context) => {
    const store = ownStore(context)
    let live = await service(store)
    const known = (await live.json<StatusSnapshot>('/api/v1/status')).summary
    await eventually('a list is kept', () => keptListAt(store) > 0)
    await live.pause()
    for (const route of fakeRoutes) live.fake.setFault(route, { kind: 'delay', delayMs: 600_000 })
    live = await live.restart(flagsOf(store))
    store.use(live)
    await eventually('the accounts are there', async () => (await rows(live)).length === 5)
    const paths = ['status', 'status?provider=codex', 'status?provider=all']
    const [own, ...others] = await Promise.all(
      paths.map((path) => live.json<StatusSnapshot>(`/api/v1/${path}`)),
    )
    const answer = own?.summary.answer

    expect(answer).toMatchObject({ code: known.answer?.code, tone: 'warn' })
    expect(answer?.text).toContain('readings are from ')
    expect(answer?.asOf).toBe(own?.recommendations.sampledAt)
    expect(own?.summary.fiveHour.usableUnits).toBe(known.fiveHour.usableUnits)
    for (const { summary, recommendations } of others) {
      expect(summary.answer).toMatchObject({ asOf: answer?.asOf, tone: 'warn' })
      expect(recommendations.pools?.map((pool) => pool.answer?.asOf)).toEqual([answer?.asOf])
    }
  })

  it('the proxy that comes back after that is followed again, and nothing but that has changed', async (context) => {
    const store = ownStore(context)
    let live = await service(store)
    const before = { states: await states(live), changes: await changes(live) }
    await live.pause()
    for (const route of fakeRoutes) live.fake.setFault(route, { kind: 'drop' })
    live = await live.restart(flagsOf(store))
    store.use(live)
    const source = async () => (await live.json<StatusSnapshot>('/api/v1/status')).source
    await eventually('the last readings are shown', async () => (await source()) === 'stale')
    const { summary } = await live.json<StatusSnapshot>('/api/v1/status')
    // What was read before is no first round.
    expect(summary.firstRound).toBeNull()
    expect(summary.fiveHour.atLeast).toBeUndefined()
    await settled()
    for (const route of fakeRoutes) live.fake.setFault(route, null)
    await eventually('the proxy is followed', async () => (await source()) === 'live')
    await settled()
    expect(await states(live)).toEqual(before.states)
    const since = (await changes(live)).filter((change) => !before.changes.includes(change))
    expect(since.filter((change) => !/^(?:source|gateway)_changed /.test(change))).toEqual([])
  })

  it('without a store what is unknown stays unknown', async (context) => {
    const store = ownStore(context)
    const [account] = [aFakeAccount({ name: 'ana' })]
    let live = await startService({ where: 'here', time: clock, accounts: [account], flags: {} })
    store.use(live)
    await eventually('the account is listed', async () => (await rows(live)).length === 1)
    await live.pause()
    for (const route of fakeRoutes) live.fake.setFault(route, { kind: 'drop' })
    live = await live.restart()
    store.use(live)
    await settled()
    expect(await live.json<StatusSnapshot>('/api/v1/status')).toMatchObject({
      available: false,
      source: 'unavailable',
    })
  })
})
