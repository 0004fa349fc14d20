import { defaultPolicy, evaluateSnapshot, offBecause, type Snapshot } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import { fileKeyOf, mergeObservations } from '@svc/core/service'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aServiceObservation,
  evidenceOf,
  fromNow,
  NOW,
} from '@svc/core/testing'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { healthSchema, healthView } from './health.ts'
import { recommendationsSchema, recommendationsView } from './recommendations.ts'
import { resetsTab } from './resets-tab.ts'
import { placesIn, watchedUpstreams } from './upstreams.ts'

const context = { text: createWording('UTC'), trends: noTrends }
const half = evidenceOf([aQuotaSample({ fiveHour: 50, week: 50 })])

/** alice at tokyo, where her login is dead, and at berlin; bob only at berlin. */
function aFleet(): Snapshot {
  const loggedOut = {
    message: { kind: 'auth_fault', code: 'token_revoked', deactivated: false },
    messageAt: fromNow(-60),
  } as const
  const at = (name: string, accounts: readonly ReturnType<typeof anAccount>[]) => {
    const own = accounts.map((account) => ({ ...account, upstream: name }))
    const { evidenceByAuthName: _, ...observed } = aLiveObservation(
      own.map((account) => [account, null]),
    )
    return {
      name,
      observed: {
        ...observed,
        evidenceByAuthName: new Map(
          name === 'tokyo' ? [] : own.map((account) => [fileKeyOf(account), half]),
        ),
      },
    }
  }
  const shared = {
    client_labels: offBecause('no_store'),
    benchmark: offBecause('not_configured'),
  } as const
  const observation = mergeObservations(
    [
      at('tokyo', [anAccount('alice', loggedOut)]),
      at('berlin', [anAccount('alice'), anAccount('bob')]),
    ],
    shared,
  )
  return evaluateSnapshot({ ...observation, ...aServiceObservation() }, defaultPolicy, NOW, {
    previous: null,
    recordedChanges: [],
  })
}

it('every item says at which proxy it is, and where else its account is listed', () => {
  const view = recommendationsView(aFleet(), context)

  expect(v.is(recommendationsSchema, view)).toBe(true)
  expect(
    view.items.map(({ title, upstream, seenAt, routingEligible }) => ({
      title,
      upstream,
      seenAt,
      routingEligible,
    })),
  ).toEqual([
    {
      title: 'alice@example.com',
      upstream: 'berlin',
      seenAt: ['berlin', 'tokyo'],
      routingEligible: true,
    },
    { title: 'bob@example.com', upstream: 'berlin', seenAt: ['berlin'], routingEligible: true },
    {
      title: 'alice@example.com',
      upstream: 'tokyo',
      seenAt: ['berlin', 'tokyo'],
      routingEligible: false,
    },
  ])
  expect(Object.keys(view.items[0]?.selector ?? {})).toEqual([
    'authName',
    'authIndex',
    'accountKey',
  ])
})

it('health names the proxy of an action and of each source', () => {
  const view = healthView(aFleet(), context)

  expect(v.is(healthSchema, view)).toBe(true)
  expect(view.actions).toMatchObject([
    { code: 'auth_invalid', upstream: 'tokyo', title: expect.stringMatching(/ · tokyo$/) },
  ])
  expect(view.sources.filter(({ id }) => id?.startsWith('accounts'))).toMatchObject([
    { id: 'accounts@tokyo', upstream: 'tokyo', detail: expect.stringMatching(/^1 /) },
    { id: 'accounts@berlin', upstream: 'berlin', detail: expect.stringMatching(/^2 /) },
  ])
  expect(new Set(view.sources.map(({ id }) => id)).size).toBe(view.sources.length)
})

it('a reset names the proxy of its file, which two of them may give the same index', () => {
  const { columns } = resetsTab(aFleet(), context.text)

  expect(columns[0]?.rows.map(({ account, upstream }) => `${upstream} ${account}`).sort()).toEqual([
    'berlin alice@example.com',
    'berlin bob@example.com',
    'tokyo alice@example.com',
  ])
})

it('the status lists the proxies with their accounts', () => {
  expect(watchedUpstreams(aFleet()).upstreams).toMatchObject([
    { name: 'tokyo', source: 'live', accountCount: 1, routableCount: 0 },
    { name: 'berlin', source: 'live', accountCount: 2, routableCount: 2 },
  ])
})

it('of one proxy nothing is said of proxies', () => {
  const { upstreams: _, seenAt: _places, ...one } = aFleet()
  const [account] = one.accounts
  if (account === undefined) throw new Error('no account')

  expect(watchedUpstreams(one)).toEqual({})
  expect(placesIn(one)(account)).toEqual({})
})
