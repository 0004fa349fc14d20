import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultPolicy, evaluateSnapshot } from '../evaluate.ts'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import type { ProxyObservation } from '../facts/observation.ts'
import { offBecause } from '../facts/source.ts'
import { fileKeyOf } from '../facts/upstream.ts'
import { changesBetween } from '../pool/recent-changes.ts'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aServiceObservation,
  evidenceOf,
  failing,
  fromNow,
  NOW,
  type ObservationChanges,
} from '../testing/builders.ts'
import { mergeObservations, type NamedObservation } from './merge-observations.ts'

const shared = {
  client_labels: offBecause('no_store'),
  benchmark: offBecause('not_configured'),
} as const

type Entry = readonly [Account, AccountEvidence | null]

/** Observation of a proxy with this name and these accounts. */
function at(
  name: string,
  entries: readonly Entry[],
  changes: ObservationChanges = {},
): NamedObservation {
  const own = entries.map(
    ([account, evidence]) => [{ ...account, upstream: name }, evidence] as const,
  )
  const observed: ProxyObservation = {
    ...aLiveObservation(own, changes),
    evidenceByAuthName: new Map(
      own.flatMap(([account, evidence]) =>
        evidence === null ? [] : [[fileKeyOf(account), evidence] as const],
      ),
    ),
  }
  return { name, observed }
}

function snapshotOf(...members: readonly [NamedObservation, ...NamedObservation[]]) {
  const observation = { ...mergeObservations(members, shared), ...aServiceObservation() }
  return evaluateSnapshot(observation, defaultPolicy, NOW, { previous: null, recordedChanges: [] })
}

const alice = anAccount('alice')
const bob = anAccount('bob')
const half = evidenceOf([aQuotaSample({ fiveHour: 50, week: 50 })])
const failed = failing(3)

describe('accounts of several proxies', () => {
  it('are counted once, and every file of each proxy stays in the list', () => {
    const snapshot = snapshotOf(
      at('tokyo', [
        [alice, half],
        [bob, half],
      ]),
      at('berlin', [[alice, half]]),
    )

    expect(snapshot.accounts).toHaveLength(3)
    expect(snapshot.capacity['5h'].trackedUnits).toBe(2)
    expect(snapshot.capacity.week.knownUnits).toBe(1)
    expect([snapshot.routableCount, snapshot.blockedCount]).toEqual([2, 0])
  })

  it('are routable where one of their files is, and blocked where none is', () => {
    const off = (account: Account) => ({ ...account, operatorDisabled: true })
    const snapshot = snapshotOf(
      at('tokyo', [
        [off(alice), half],
        [off(bob), half],
      ]),
      at('berlin', [
        [alice, half],
        [off(bob), half],
      ]),
    )

    expect([snapshot.routableCount, snapshot.blockedCount]).toEqual([1, 1])
  })

  it('know what was read of them through another proxy', () => {
    const snapshot = snapshotOf(at('berlin', [[alice, null]]), at('tokyo', [[alice, half]]))

    expect(snapshot.accounts.map(({ quota }) => quota['5h'].percent)).toEqual([50, 50])
    expect(snapshot.accounts.map(({ score }) => score)[0]).toBe(snapshot.accounts[1]?.score)
  })

  it.each([
    { tokyoAge: 60, berlinAge: 10, percent: 20 },
    { tokyoAge: 10, berlinAge: 60, percent: 90 },
  ])('have the newest reading, of $tokyoAge s and $berlinAge s', (row) => {
    const snapshot = snapshotOf(
      at('tokyo', [
        [alice, evidenceOf([aQuotaSample({ fiveHour: 90, ageSeconds: row.tokyoAge })])],
      ]),
      at('berlin', [
        [alice, evidenceOf([aQuotaSample({ fiveHour: 20, ageSeconds: row.berlinAge })])],
      ]),
    )

    expect(snapshot.accounts.map(({ quota }) => quota['5h'].percent)).toEqual([
      row.percent,
      row.percent,
    ])
  })

  it('are used up everywhere when one proxy was told so', () => {
    const sample = aQuotaSample({ week: 40, weekResetsInSeconds: 7200, ageSeconds: 300 })
    const limited: Account = {
      ...alice,
      message: { kind: 'usage_limit', resetsAt: fromNow(7200), observedAt: fromNow(-10) },
    }
    const snapshot = snapshotOf(
      at('tokyo', [[limited, evidenceOf([sample])]]),
      at('berlin', [[alice, null]]),
    )

    expect(snapshot.accounts.map(({ blockedReasons }) => blockedReasons[0])).toEqual([
      'quota_exhausted_week',
      'quota_exhausted_week',
    ])
  })

  it('have not begun their window only where no proxy has used it', () => {
    const fresh = evidenceOf([aQuotaSample({ fiveHour: 100, week: 100, ageSeconds: 60 })])
    const loadOf = (lastSuccessAt: Account['lastSuccessAt']) =>
      snapshotOf(
        at('tokyo', [[alice, fresh]]),
        at('berlin', [[{ ...alice, lastSuccessAt }, null]]),
      ).accounts.map(({ scoreComponents }) => scoreComponents.load)

    expect(loadOf(null)).toEqual([25, 25])
    expect(loadOf(fromNow(-10))).toEqual([0, 0])
  })
})

describe('a login', () => {
  const loggedOut: Account = {
    ...alice,
    message: { kind: 'auth_fault', code: 'token_revoked', deactivated: false },
    messageAt: fromNow(-600),
  }

  it('that is dead at one proxy blocks the account there alone, and the action says where it can be used', () => {
    const snapshot = snapshotOf(at('tokyo', [[loggedOut, null]]), at('berlin', [[alice, half]]))

    expect(snapshot.accounts.map(({ account, routable }) => [account.upstream, routable])).toEqual([
      ['berlin', true],
      ['tokyo', false],
    ])
    expect(snapshot.health.actions).toMatchObject([
      {
        id: 'auth_invalid:key-alice@tokyo',
        upstream: 'tokyo',
        action: { code: 'auth_invalid', accounts: [{ usableAt: ['berlin'] }] },
      },
    ])
    expect(snapshot.capacity['5h'].knownUnits).toBe(0.5)
  })

  it('is not proven by a query or a request through another proxy', () => {
    const used = { ...alice, lastSuccessAt: fromNow(-1) }
    const snapshot = snapshotOf(at('tokyo', [[loggedOut, null]]), at('berlin', [[used, half]]))

    expect(snapshot.accounts[1]?.blockedReasons).toEqual(['auth_invalid'])
  })
})

describe('one file name at two proxies', () => {
  it('is two accounts where they are of different people, each with its own reading', () => {
    const named = (key: string) => ({
      ...anAccount('x'),
      selector: { authName: 'work.json', authIndex: '7', accountKey: key },
      title: 'work.json',
    })
    const low = evidenceOf([aQuotaSample({ fiveHour: 10, week: 10 })])
    const snapshot = snapshotOf(
      at('tokyo', [[named('one'), half]]),
      at('berlin', [[named('two'), low]]),
    )

    expect(snapshot.capacity['5h'].trackedUnits).toBe(2)
    expect(
      snapshot.accounts.map(({ account, quota }) => [account.upstream, quota['5h'].percent]),
    ).toEqual([
      ['tokyo', 50],
      ['berlin', 10],
    ])
  })
})

describe('the state of several proxies', () => {
  const lost = { sources: { accounts: failed, gateway: failed } }
  it.each([
    { what: 'all answer', tokyo: {}, berlin: {}, source: 'live' },
    { what: 'one has never answered', tokyo: lost, berlin: {}, source: 'partial' },
    { what: 'none has ever answered', tokyo: lost, berlin: lost, source: 'unavailable' },
    {
      what: 'one is remembered alone and one has never answered',
      tokyo: lost,
      berlin: { accountListIsRemembered: true },
      source: 'stale',
    },
  ] as const)('is $source where $what', ({ tokyo, berlin, source }) => {
    expect(snapshotOf(at('tokyo', [], tokyo), at('berlin', [[alice, half]], berlin)).source).toBe(
      source,
    )
  })

  it('lists each source of each proxy, and what is read once only once', () => {
    const { sources } = snapshotOf(at('tokyo', [], lost), at('berlin', [[alice, half]])).health

    expect(
      sources.map(({ id, upstream, tone }) => `${id} ${upstream ?? 'all'} ${tone}`).slice(0, 4),
    ).toEqual([
      'gateway tokyo bad',
      'gateway berlin good',
      'accounts tokyo bad',
      'accounts berlin good',
    ])
    expect(sources.filter(({ id }) => id === 'history')).toHaveLength(1)
    expect(sources.filter(({ id }) => id === 'benchmark')).toHaveLength(1)
  })

  it('names the proxy whose key is refused, and keeps the accounts of the other', () => {
    const refused = {
      management: {
        kind: 'refused',
        at: NOW,
        nextAttemptAt: fromNow(9000),
        failure: 'unauthorized',
      },
      sources: { accounts: failed },
    } as const
    const snapshot = snapshotOf(at('tokyo', [], refused), at('berlin', [[alice, half]]))

    expect(
      snapshot.health.actions.find(({ action }) => action.code === 'management_key_refused'),
    ).toMatchObject({ id: 'management_key_refused@tokyo', upstream: 'tokyo' })
    expect(snapshot.routableCount).toBe(1)
    expect(snapshot.upstreams).toMatchObject([
      { name: 'tokyo', available: false },
      { name: 'berlin', available: true, source: 'live' },
    ])
  })
})

describe('what has changed', () => {
  const tokyo = (...names: readonly string[]) =>
    at(
      'tokyo',
      names.map((name) => [anAccount(name), half]),
    )
  const berlin = at('berlin', [[bob, half]])
  const unread = at('berlin', [], { sources: { accounts: failed } })
  it.each<{
    readonly what: string
    readonly before: readonly [NamedObservation, ...NamedObservation[]]
    readonly after: readonly [NamedObservation, ...NamedObservation[]]
    readonly codes: readonly string[]
  }>([
    {
      what: 'an account comes to one proxy',
      before: [tokyo('alice'), berlin],
      after: [tokyo('alice', 'carol'), berlin],
      codes: ['account_added'],
    },
    {
      what: 'an account goes from one proxy',
      before: [tokyo('alice', 'carol'), berlin],
      after: [tokyo('alice'), berlin],
      codes: ['account_removed'],
    },
    {
      what: 'the first list of a proxy',
      before: [tokyo('alice'), unread],
      after: [tokyo('alice'), berlin],
      codes: ['source_changed'],
    },
    {
      what: 'a second proxy',
      before: [tokyo('alice')],
      after: [tokyo('alice'), berlin],
      codes: [],
    },
    {
      what: 'a proxy that is watched no more',
      before: [tokyo('alice'), berlin],
      after: [tokyo('alice')],
      codes: [],
    },
    {
      what: 'an account that another proxy lists too',
      before: [tokyo('alice'), berlin],
      after: [tokyo('alice', 'bob'), berlin],
      codes: ['account_added'],
    },
  ])('$what: $codes', ({ before, after, codes }) => {
    const previous = snapshotOf(...before)
    const changes = changesBetween(previous, snapshotOf(...after))

    expect(changes.map(({ detail }) => detail.code)).toEqual(codes)
    for (const { detail } of changes) if ('title' in detail) expect(detail.upstream).toBe('tokyo')
  })
})

describe('merging', () => {
  const percents = fc.integer({ min: 0, max: 100 })
  const evidences = fc.option(
    fc
      .record({ fiveHour: percents, week: percents, ageSeconds: fc.integer({ min: 0, max: 900 }) })
      .map((shape) => evidenceOf([aQuotaSample(shape)])),
  )
  const accounts = fc.constantFrom('alice', 'bob', 'carol', 'dan').map((name) => anAccount(name))
  const pools = fc.uniqueArray(fc.tuple(accounts, evidences), {
    maxLength: 4,
    selector: ([account]) => account.selector.authName,
  })

  it('of one proxy names it and changes nothing else', () => {
    fc.assert(
      fc.property(pools, (entries) => {
        const one = at('tokyo', entries)
        const { upstreams, ...rest } = mergeObservations([one], shared)
        expect(one.observed).toMatchObject(rest)
        expect(upstreams).toMatchObject([{ name: 'tokyo', kind: 'live' }])
      }),
    )
  })

  it('does not depend on the order of the proxies', () => {
    fc.assert(
      fc.property(pools, pools, pools, (first, second, third) => {
        const [a, b, c] = [at('a', first), at('b', second), at('c', third)]
        const { upstreams: _one, health: _h1, ...one } = snapshotOf(a, b, c)
        const { upstreams: _other, health: _h2, ...other } = snapshotOf(c, a, b)
        expect(other).toEqual(one)
      }),
      { numRuns: 40 },
    )
  })
})
