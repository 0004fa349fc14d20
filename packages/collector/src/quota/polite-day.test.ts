import type { Account, QuotaSample } from '@svc/core'
import { type RememberedAccount, textOfAccount } from '@svc/core/pool'
import { anAccount, aQuotaSample, evidenceOf, silentLog, virtualClock } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { PlanReading, ProbeResult, Provider } from '../providers/contract/provider.ts'
import { aMadeUpVendor, madeUpBudget } from '../testing/made-up-vendor.ts'
import { askedInMemory } from '../testing/vendor-days.ts'
import { type PlanResult, providerIn } from '../transports/quota-transport.ts'
import { type AskedStore, noAskedStore } from './asked-notes.ts'
import { createQuotaRunner, type QuotaRunner } from './runner.ts'
import { createVendorPace, type VendorPace } from './vendor-pace.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const EVERY_MS = madeUpBudget.perAccountSeconds * 1000
const APART_MS = madeUpBudget.apartSeconds * 1000
/** Time the vendor takes to answer. */
const ANSWER_MS = 400

const running: QuotaRunner[] = []
afterEach(async () => {
  for (const runner of running.splice(0)) await runner.stop()
})

const kimi = (name: string, changes: Partial<Account> = {}) =>
  anAccount(name, { provider: 'kimi', ...changes })
const kimis = (count: number) => Array.from({ length: count }, (_, index) => kimi(`user${index}`))

interface Query {
  readonly key: string
  readonly atMs: number
  readonly endMs: number
}

/** Monitors of one made-up vendor, which answers each query as `answer` says. */
function aVendor(provider: Provider = aMadeUpVendor()) {
  const clock = virtualClock(() => new Promise((resolve) => setImmediate(resolve)))
  const queries: Query[] = []
  const plans: number[] = []
  let answer: (account: Account) => ProbeResult = () => ({
    kind: 'sample',
    sample: aQuotaSample({}, { sampledAt: clock.now() }),
  })
  let planAnswer: () => PlanResult = (): PlanReading => ({ plan: 'pro', vendorIdentity: 'org-1' })
  const wait = (stop: AbortSignal) =>
    new Promise<void>((resolve) => {
      const answer = () => {
        stop.removeEventListener('abort', answer)
        resolve()
      }
      clock.schedule(ANSWER_MS, answer)
      stop.addEventListener('abort', answer)
    })

  const monitor = (
    pace: VendorPace = createVendorPace(clock),
    asked: AskedStore = noAskedStore,
  ) => {
    const runner = createQuotaRunner(
      {
        transport: {
          endpointOf: () => 'made-up',
          ready: () => true,
          refusal: () => null,
          canQuery: (account) => account.provider === provider.id,
          async query(account, stop) {
            const atMs = clock.monotonicMs()
            await wait(stop)
            const { accountKey: key } = account.selector
            queries.push({ key, atMs, endMs: clock.monotonicMs() })
            return answer(account)
          },
          queryBankedList: () => Promise.reject(new Error('no resets are banked')),
          async queryPlan(_account, stop) {
            plans.push(clock.monotonicMs())
            await wait(stop)
            return planAnswer()
          },
        },
        concurrency: 2,
        quotaProbesPerMinute: 30,
        queriedProvider: providerIn([provider]),
        pace,
        asked,
        refreshAccountList: () => Promise.resolve(true),
        onChange() {},
      },
      { clock, random: () => 0.5, log: silentLog, report: { count() {} } },
    )
    running.push(runner)
    return runner
  }
  return {
    clock,
    queries,
    plans,
    monitor,
    answerWith(next: (account: Account) => ProbeResult) {
      answer = next
    },
    answerPlanWith(next: () => PlanResult) {
      planAnswer = next
    },
    good: (changes: Partial<QuotaSample> = {}): ProbeResult => ({
      kind: 'sample',
      sample: aQuotaSample({}, { sampledAt: clock.now(), ...changes }),
    }),
    /** Queries that began from this time on. */
    since: (atMs: number) => queries.filter((query) => query.atMs >= atMs),
  }
}

/** Accounts as a store keeps them. */
function stored(
  runner: QuotaRunner,
  accounts: readonly Account[],
): ReadonlyMap<string, RememberedAccount> {
  const evidence = runner.evidence()
  return new Map(
    accounts.map((account) => {
      const { authName } = account.selector
      const text = textOfAccount({ account, evidence: evidence.get(authName) ?? null })
      const { evidence: kept } = JSON.parse(text) as Pick<RememberedAccount, 'evidence'>
      return [authName, { account, evidence: kept && { ...evidenceOf([]), ...kept } }]
    }),
  )
}

function expectPolite(queries: readonly Query[]): void {
  const lastByKey = new Map<string, number>()
  let lastEndMs = Number.NEGATIVE_INFINITY
  for (const { key, atMs, endMs } of [...queries].sort((a, b) => a.atMs - b.atMs)) {
    expect(atMs - (lastByKey.get(key) ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(EVERY_MS)
    expect(atMs - lastEndMs).toBeGreaterThanOrEqual(APART_MS)
    lastByKey.set(key, atMs)
    lastEndMs = endMs
  }
}

describe('a day with 50 accounts of one vendor', () => {
  it('never exceeds the budget, a restart and refreshes by hand included', async () => {
    const { clock, queries, monitor, since } = aVendor()
    const accounts = kimis(50)
    const first = monitor()
    first.useAccounts(accounts)
    for (let hour = 0; hour < 12; hour += 1) {
      await clock.advance(HOUR)
      first.refresh({ scope: 'default' })
    }
    // In the middle of a round, so that the first one of the next process is not in step with it.
    await clock.advance(4 * MINUTE)
    const kept = stored(first, accounts)
    await first.stop()

    const store = askedInMemory().process()
    const second = monitor(createVendorPace(clock), store)
    second.useAccounts(accounts)
    await clock.advance(500)
    second.restore(kept)
    store.settle('known')
    for (let hour = 0; hour < 12; hour += 1) {
      await clock.advance(HOUR)
      second.refresh({ scope: 'default' })
    }

    expectPolite(queries)
    // Every account was read in every half hour of the second process too.
    expect(new Set(since(clock.monotonicMs() - 30 * MINUTE).map(({ key }) => key)).size).toBe(50)
  })

  it('stays silent over a restart in the storm, and doubles on', async () => {
    const { clock, monitor, answerWith, since, queries } = aVendor()
    const accounts = kimis(50)
    const first = monitor()
    first.useAccounts(accounts)
    await clock.advance(30 * MINUTE)
    answerWith(() => ({ kind: 'throttled', httpStatus: 429, retryAfterSeconds: null }))
    await clock.advance(2 * HOUR)
    const kept = stored(first, accounts)
    await first.stop()
    const restartMs = clock.monotonicMs()
    const second = monitor()
    second.restore(kept)
    second.useAccounts(accounts)
    expect(second.reading().lastGood?.value.paused).toMatchObject([{ reason: 'throttled' }])
    await clock.advance(90 * MINUTE)
    expect(since(restartMs)).toEqual([])

    await clock.advance(12 * HOUR)
    expect(since(restartMs).length).toBeLessThanOrEqual(3)
    expectPolite(queries)
  })
})

describe('two files of one account', () => {
  it('share its budget and take turns, and so do two of one address that are not told apart yet', async () => {
    const { clock, queries, monitor } = aVendor()
    const email = 'alice@example.com'
    const [one, two, three] = [kimi('one'), kimi('two'), kimi('three', { email: 'x@example.com' })]
    const sameKey = { ...two.selector, accountKey: one.selector.accountKey }
    const runner = monitor()
    runner.useAccounts([
      { ...one, email: null },
      { ...two, email: null, selector: sameKey },
      { ...three, email },
      kimi('four', { email }),
    ])
    await clock.advance(6 * HOUR)

    const times = (key: string) =>
      queries.filter((query) => query.key === key).map(({ atMs }) => atMs)
    expectPolite(queries.filter(({ key }) => key === one.selector.accountKey))
    const [ofThree, ofFour] = [
      times(three.selector.accountKey),
      times(kimi('four').selector.accountKey),
    ]
    expect(Math.abs(ofThree.length - ofFour.length)).toBeLessThanOrEqual(1)
    const both = [...ofThree, ...ofFour].sort((a, b) => a - b)
    for (const [index, atMs] of both.slice(1).entries())
      expect(atMs - (both[index] ?? 0)).toBeGreaterThanOrEqual(EVERY_MS)
    const lastReadAt = [one, two].map(
      ({ selector }) => runner.evidence().get(selector.authName)?.samples[0]?.sampledAt ?? 0,
    )
    expect(Math.min(...lastReadAt)).toBeGreaterThan(clock.now() - HOUR)
  })
})

describe('the plan of an account that the quota does not name', () => {
  const planQuery = {
    everySeconds: 24 * 3600,
    request: () => ({ url: 'https://vendor.test/profile', headers: {} }),
    planOf: () => null,
  }

  it('is asked for alone where headers of clients show the quota all day', async () => {
    const { clock, plans, monitor, queries } = aVendor(aMadeUpVendor({ planQuery }))
    const alice = kimi('alice')
    const runner = monitor()
    for (let minutes = 0; minutes < 25 * 60; minutes += 5) {
      const sample = aQuotaSample({}, { origin: 'headers', sampledAt: clock.now(), plan: null })
      runner.useAccounts([alice], [{ accountKey: alice.selector.accountKey, samples: [sample] }])
      await clock.advance(5 * MINUTE)
    }

    expect([plans.length, queries.length]).toEqual([2, 0])
    expect(runner.evidence().get(alice.selector.authName)).toMatchObject({
      vendorPlan: { plan: 'pro' },
    })
  })

  it('leaves the quota good when it fails, and pauses the vendor when it is throttled', async () => {
    const { clock, queries, monitor, answerPlanWith } = aVendor(aMadeUpVendor({ planQuery }))
    answerPlanWith(() => ({ kind: 'throttled', httpStatus: 429, retryAfterSeconds: null }))
    const accounts = kimis(2)
    const runner = monitor()
    runner.useAccounts(accounts)
    await clock.advance(25 * MINUTE)

    expect(queries).toHaveLength(1)
    expect([...runner.evidence().values()]).toMatchObject([
      { probeFailure: null, samples: [{ plan: null }], vendorPause: { inARow: 1 } },
    ])
    answerPlanWith(() => ({ kind: 'auth', httpStatus: 401 }))
    await clock.advance(HOUR)
    expect([...runner.evidence().values()].map(({ refusedLogin }) => refusedLogin)).toEqual([
      null,
      null,
    ])
  })
})

describe('a refresh by hand', () => {
  it('skips accounts that were asked about lately, and says when it may ask again', async () => {
    const { clock, queries, monitor } = aVendor()
    const alice = kimi('alice')
    const runner = monitor()
    runner.useAccounts([alice])
    await clock.advance(MINUTE)
    const askedAt = runner.evidence().get(alice.selector.authName)?.askedAt ?? 0
    const alone = { scope: 'account', accountKey: alice.selector.accountKey } as const

    for (const target of [{ scope: 'default' } as const, alone]) {
      const run = runner.refresh(target)
      expect(await run.ended).toBe('asked_lately')
      expect(run.tally()).toEqual({
        queued: 0,
        done: 0,
        failed: 0,
        skipped: { count: 1, nextAskAt: askedAt + EVERY_MS },
      })
    }
    await clock.advance(8 * MINUTE)
    expect(queries).toHaveLength(1)
  })

  it('skips the rest when the vendor pauses in the middle', async () => {
    const { clock, queries, monitor, answerWith } = aVendor()
    const runner = monitor()
    const accounts = kimis(5)
    runner.useAccounts(accounts)
    await clock.advance(6 * MINUTE)
    const before = queries.length
    runner.useAccounts([])
    await clock.advance(11 * MINUTE)
    runner.useAccounts(accounts)
    answerWith(() => ({ kind: 'throttled', httpStatus: 429, retryAfterSeconds: 7200 }))
    const run = runner.refresh({ scope: 'default' })
    await clock.advance(10_000)

    expect(await run.ended).toBeNull()
    expect(run.tally()).toMatchObject({ queued: 1, failed: 1, skipped: { count: 4 } })
    expect(queries).toHaveLength(before + 1)
  })
})
