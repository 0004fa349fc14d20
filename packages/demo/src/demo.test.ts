import {
  type AccountEvidence,
  defaultPolicy,
  type EpochMs,
  epochMs,
  evaluateSnapshot,
  plusMs,
  windowOf,
} from '@svc/core'
import { blockedModelsOf, courseSpanOf } from '@svc/core/account'
import { healthSpanOf } from '@svc/core/health'
import { allAccountsOf, capacitiesOf, windowNameOf } from '@svc/core/pool'
import { planKindsOf, providerIds } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { bucketStartsOf, sumOfUsage, type UsageRangeId, usageRangeIds } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import {
  createDemoSource,
  createDemoUsageReader,
  demoCapacityPoints,
  demoHealthHistory,
  demoPoolCycles,
  demoQuotaCourse,
  demoRecentChanges,
  demoServiceAt,
} from './index.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Half a day at a time, off every beat, then where local clocks jump and where months and years turn. */
const instants: readonly EpochMs[] = [
  ...Array.from(
    { length: process.env.TEST_SIZE === 'full' ? 28 : 4 },
    (_, index) => NOW + index * (12 * HOUR_MS + 53 * MINUTE_MS + 917),
  ),
  Date.UTC(2026, 2, 29, 1),
  Date.UTC(2026, 10, 1, 6),
  Date.UTC(2028, 1, 29),
  Date.UTC(2027, 0, 1) - 1,
  Date.UTC(2027, 0, 1),
].map(epochMs)

const observe = (now: EpochMs) => ({ ...createDemoSource().latest(now), ...demoServiceAt(now) })
const evaluate = (now: EpochMs) =>
  evaluateSnapshot(observe(now), defaultPolicy, now, { previous: null, recordedChanges: [] })
const shown = instants.map((now) => ({
  now,
  observation: observe(now),
  snapshot: evaluate(now),
  changes: demoRecentChanges(now),
}))

const accountsAt = (now: EpochMs) => observe(now).sources.accounts.lastGood?.value.accounts ?? []
const samplesOf = ({ samples, disabledProbe }: AccountEvidence) =>
  disabledProbe.state === 'unknown' || disabledProbe.sample === null
    ? samples
    : [...samples, disabledProbe.sample]
const distinct = (values: readonly string[]) => [...new Set(values)].sort()

describe('the sample pool', () => {
  it('depends on the time alone', () => {
    for (const { now, observation, snapshot, changes } of shown.slice(0, 5))
      expect([observe(now), evaluate(now), demoRecentChanges(now)]).toEqual([
        observation,
        snapshot,
        changes,
      ])
  })

  it('names 24 accounts of Codex first and nobody who exists, each file once', () => {
    const accounts = accountsAt(NOW)
    const providers = accounts.map(({ provider }) => provider)

    expect([providers.indexOf('claude'), distinct(providers)]).toEqual([
      24,
      [...providerIds, 'kiro'].sort(),
    ])
    expect(new Set(accounts.map(({ selector }) => selector.authName)).size).toBe(accounts.length)
    expect(new Set(accounts.map(({ selector }) => selector.authIndex)).size).toBe(accounts.length)
    // One account has a second file, of its login from before an upgrade.
    expect(new Set(accounts.map(({ selector }) => selector.accountKey)).size).toBe(
      accounts.length - 1,
    )
    for (const { title, selector } of accounts) {
      const domains = `${title} ${selector.authName}`.matchAll(/@([\w.-]+?\.[a-z]+)/g)
      for (const [, domain] of domains) expect(domain).toMatch(/(?:^|\.)example\.(?:com|org)$/)
    }
  })

  it('shows every status, blocked reason, plan of Codex and state of a window at any time', () => {
    for (const { snapshot } of shown) {
      const { accounts } = snapshot
      expect(distinct(accounts.map(({ status }) => status.kind))).toEqual([
        'active',
        'auth_invalid',
        'cooldown',
        'deactivated',
        'degraded',
        'disabled',
        'pending',
        'quota_hit',
        'ready_unproven',
        'reset_scheduled',
        'retry_after',
        'unavailable',
      ])
      expect(distinct(accounts.flatMap(({ blockedReasons }) => blockedReasons))).toEqual([
        'auth_invalid',
        'cooldown',
        'operator_disabled',
        'quota_exhausted_5h',
        'quota_exhausted_spend',
        'quota_exhausted_week',
        'status_invalid',
        'upstream_retry_after',
      ])
      expect(distinct(accounts.map(({ plan }) => plan))).toEqual([...planKindsOf('codex')].sort())
      const windows = accounts.map((account) => windowOf(account.windows, '5h'))
      const states = windows.map((window) =>
        window.state !== 'known'
          ? window.state
          : window.rolledOverAt !== null
            ? 'full again'
            : window.stale
              ? 'stale'
              : 'known',
      )
      expect(distinct(states)).toEqual([
        'absent',
        'exhausted',
        'full again',
        'known',
        'stale',
        'unknown',
      ])
    }
  })

  it('shows what other vendors alone have: notes, headers, limits of some models, rests, refused logins', () => {
    for (const { snapshot } of shown) {
      const others = allAccountsOf(snapshot).filter(({ account }) => account.provider !== 'codex')
      const windows = others.flatMap((account) => [...account.windows, ...account.scopedWindows])

      expect(windows).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ note: 'derived', percent: 100 }),
          expect.objectContaining({ note: 'sources_disagree' }),
          expect.objectContaining({ origin: 'headers', stale: false }),
        ]),
      )
      expect(others.filter((account) => blockedModelsOf(account).length > 0).length).toBe(3)
      expect(
        others.filter(({ coolsUntil }) => (coolsUntil ?? 0) > snapshot.evaluatedAt),
      ).not.toEqual([])
      expect(others.filter(({ loginLoss }) => loginLoss?.cause === 'refused').length).toBe(1)
    }
  })

  it('stays as it is from poll to poll: no status changes, no pool is nearly empty, the same need somebody', () => {
    const stateOf = ({ snapshot }: (typeof shown)[number]) => ({
      accounts: Object.fromEntries(
        allAccountsOf(snapshot).map(({ selector, status, plan, windows, scopedWindows }) => [
          selector.authName,
          [
            status.kind,
            plan,
            ...[...windows, ...scopedWindows].map(({ id, state }) => [id, state]),
          ],
        ]),
      ),
      actions: snapshot.health.actions.map(({ action }) => action.code).sort(),
      counts: Object.fromEntries(
        snapshot.pools.map(({ provider, accounts }) => [provider, accounts.length]),
      ),
    })
    const [first, ...later] = shown.map(stateOf)

    for (const state of later) expect(state).toEqual(first)
    for (const { snapshot } of shown)
      for (const { knownUnits, trackedUnits } of snapshot.pools.flatMap((pool) =>
        capacitiesOf(pool),
      ))
        expect(knownUnits).toBeGreaterThan(0.15 * trackedUnits)
  })

  it('dates resets and retries ahead and all else in the past, in whole percents', () => {
    for (const { now, observation, snapshot, changes } of shown) {
      const accounts = observation.sources.accounts.lastGood?.value.accounts ?? []
      const evidence = [...observation.evidenceByAuthName.values()]
      const past = [
        ...accounts.flatMap(({ messageAt, verdict, modifiedAt, lastSuccessAt, recentRequests }) => [
          messageAt,
          verdict?.at,
          modifiedAt,
          lastSuccessAt,
          ...recentRequests.map(({ startAt }) => startAt),
        ]),
        ...evidence.flatMap(({ probeFailure, refusedLogin }) => [
          probeFailure?.at,
          refusedLogin?.firstAt,
          refusedLogin?.lastAt,
        ]),
        ...evidence.flatMap((read) => samplesOf(read).map(({ sampledAt }) => sampledAt)),
        ...changes.map(({ at }) => at),
      ]
      for (const at of past) expect(at ?? 0).toBeLessThanOrEqual(now)
      for (const { account, windows, scopedWindows } of allAccountsOf(snapshot))
        for (const window of [...windows, ...scopedWindows]) {
          if (window.state !== 'known' && window.state !== 'exhausted') continue
          expect(window.resetAt ?? now + 1).toBeGreaterThan(now)
          if (window.state === 'known') expect(window.percent % 1).toBe(0)
          if (window.state === 'exhausted' && account.message.kind === 'usage_limit')
            expect(account.message.resetsAt).toBe(window.resetAt)
        }
    }
  })

  it('moves: windows burn down from minute to minute and are reset', () => {
    const percentsAt = (now: EpochMs) =>
      new Map(
        allAccountsOf(evaluate(now)).flatMap(({ title, windows }) =>
          windows.map((window) => [
            `${title} ${window.id}`,
            window.state === 'known' ? window.percent : null,
          ]),
        ),
      )
    let [fell, rose] = [0, 0]
    let before = percentsAt(NOW)
    for (let minutes = 5; minutes <= 600; minutes += 60) {
      const after = percentsAt(plusMs(NOW, minutes * MINUTE_MS))
      for (const [name, percent] of after) {
        fell += (percent ?? 0) < (before.get(name) ?? 0) ? 1 : 0
        rose += (percent ?? 0) > (before.get(name) ?? 0) ? 1 : 0
      }
      before = after
    }

    expect(fell).toBeGreaterThan(100)
    expect(rose).toBeGreaterThan(5)
  })
})

describe('the past of the sample pool', () => {
  it('has changes of every kind, newest first, that name its accounts by title and key', () => {
    const keys = new Map(accountsAt(NOW).map(({ title, selector }) => [title, selector.accountKey]))
    for (const { changes } of shown) {
      expect(changes).toEqual(changes.toSorted((one, other) => other.at - one.at))
      expect(distinct(changes.map(({ detail }) => detail.code))).toEqual([
        'account_added',
        'account_removed',
        'account_renamed',
        'gateway_changed',
        'plan_changed',
        'source_changed',
        'status_changed',
        'vendor_reset',
        'window_exhausted',
        'window_reset',
      ])
      const last = (code: string) => changes.find(({ detail }) => detail.code === code)?.detail
      expect(last('gateway_changed')).toMatchObject({ up: true })
      expect(last('source_changed')).toMatchObject({ to: 'live' })
      for (const { detail } of changes)
        if ('title' in detail)
          expect(detail.accountKey).toBe(
            detail.code === 'account_removed' ? undefined : keys.get(detail.title),
          )
    }
  })

  it('has a course of each account which ends with the newest reading', () => {
    const { evidenceByAuthName } = observe(NOW)
    const firstFiles = accountsAt(NOW).filter(
      ({ selector }) => !selector.authName.endsWith('-free.json'),
    )
    let drawn = 0
    for (const { selector } of firstFiles.slice(0, 12)) {
      const samples = evidenceByAuthName.get(selector.authName)?.samples ?? []
      const [newest] = samples.toSorted((one, other) => other.sampledAt - one.sampledAt)
      for (const range of ['24h', '7d'] as const) {
        const courses = demoQuotaCourse({ accountKey: selector.accountKey, range }, NOW) ?? []
        expect(courses.map(({ windowId }) => windowId)).toEqual(['5h', 'week'])
        for (const { windowId, points } of courses) {
          const last = points.at(-1)
          if (last === undefined || range !== '24h' || windowId === '5h') continue
          const reading = newest?.windows.find(({ id }) => id === windowId)
          const isOver = reading?.resetAt != null && reading.resetAt <= NOW
          drawn += 1
          expect(last.percent).toBe(isOver ? 100 : reading?.percent)
        }
      }
    }

    expect(drawn).toBeGreaterThan(5)
    expect(demoQuotaCourse({ accountKey: 'ffffffffffffffff', range: '24h' }, NOW)).toBeNull()
  })

  it('has windows that ran dry and quota that expired unused', () => {
    const weights = new Map(
      accountsAt(NOW)
        .slice(0, 8)
        .map(({ selector }) => [selector.accountKey, 1]),
    )

    for (const { knownCount, dryCount, weekly } of Object.values(
      demoPoolCycles(weights, courseSpanOf('30d', NOW)).windows,
    )) {
      expect(dryCount).toBeGreaterThan(0)
      expect(knownCount).toBeGreaterThan(dryCount)
      expect(weekly?.expired).toBeGreaterThan(0)
    }
  })

  it('has a course of what all have left over eight days, which goes on as it went', () => {
    const leftAt = (now: EpochMs) =>
      new Map(
        demoCapacityPoints(now).map((point) => [
          `${windowNameOf(point)} ${point.at}`,
          point.knownUnits,
        ]),
      )
    const [points, later] = [demoCapacityPoints(NOW), leftAt(plusMs(NOW, HOUR_MS))]
    const shared = points.filter((point) => later.has(`${windowNameOf(point)} ${point.at}`))

    expect([points[0]?.at, NOW - (points.at(-1)?.at ?? 0) < HOUR_MS]).toEqual([
      NOW - 8 * DAY_MS,
      true,
    ])
    expect(shared.length).toBeGreaterThan(300)
    for (const point of shared)
      expect(later.get(`${windowNameOf(point)} ${point.at}`)).toBe(point.knownUnits)
  })

  it('has a health of thirty days with nights that nobody watched', () => {
    const { stretches } = demoHealthHistory(NOW)
    const { from, to } = healthSpanOf(NOW)

    expect([stretches[0]?.from, stretches.at(-1)?.to]).toEqual([from, to])
    expect(distinct(stretches.map(({ state }) => state))).toEqual(
      expect.arrayContaining(['good', 'unknown']),
    )
  })
})

describe('the sample usage', () => {
  const reader = createDemoUsageReader()
  const query = { metric: 'tokens', group: 'total', top: 20 } as const
  const bucketsByStart = async (range: UsageRangeId, now: EpochMs) => {
    const { span, lines } = await reader.series({ ...query, range }, now)
    return new Map(bucketStartsOf(span).map((start, index) => [start, lines[0]?.buckets[index]]))
  }

  it('never changes once it is past', async () => {
    for (const range of ['1h', '6h', '24h', '7d'] as const) {
      const before = await bucketsByStart(range, NOW)
      const after = await bucketsByStart(range, plusMs(NOW, HOUR_MS / 2))
      const both = [...before.keys()].slice(0, -1).filter((start) => after.has(start))

      expect(both.length).toBeGreaterThan(20)
      expect(both.map((start) => after.get(start))).toEqual(both.map((start) => before.get(start)))
    }
  })

  it('says the same of an hour in every range', async () => {
    const now = epochMs(Math.floor(NOW / HOUR_MS) * HOUR_MS)
    const inHour = async (range: UsageRangeId) =>
      sumOfUsage(
        [...(await bucketsByStart(range, now))].flatMap(([start, measures]) =>
          start >= now - HOUR_MS && measures !== undefined ? [measures] : [],
        ),
      )
    const hour = await inHour('1h')

    expect(hour.requests).toBeGreaterThan(100)
    expect([await inHour('6h'), await inHour('24h')]).toEqual([hour, hour])
  })

  it('fills every range and group, of every provider, with most by Codex', async () => {
    for (const range of usageRangeIds)
      for (const group of range === '24h'
        ? (['account', 'client', 'model', 'api'] as const)
        : (['account'] as const)) {
        const { lines } = await reader.series({ ...query, range, group }, NOW)
        expect(lines.length, group).toBeGreaterThan(3)
      }
    const { lines } = await reader.series({ ...query, range: '24h', group: 'provider' }, NOW)

    expect(lines[0]?.id).toBe('codex')
    expect(distinct(lines.map(({ id }) => id))).toEqual([...providerIds, 'kiro'].sort())
    // Only Claude counts what it writes to its cache.
    expect(lines.filter(({ tokensWritten }) => tokensWritten > 0).map(({ id }) => id)).toEqual([
      'claude',
    ])
  })

  it('has missed some of the month, and shows it as a gap', async () => {
    const { history } = await reader.summary(NOW)

    expect(history.gapSeconds).toBeGreaterThanOrEqual(3 * 2400)
    expect(history.gapSeconds).toBeLessThanOrEqual(4 * 2400)
  })
})
