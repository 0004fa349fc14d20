import { type Account, defaultPolicy, evaluateSnapshot, type Observation } from '@svc/core'
import { noTrends, type RecentChange } from '@svc/core/pool'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  evidenceOf,
  fromNow,
  NOW,
} from '@svc/core/testing'
import { gaugeSamplesOf } from '@svc/monitor'
import { describe, expect, it } from 'vitest'
import { createPublishedGauges } from './metrics.ts'

const NO_CONTEXT = {
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
} as const

const evaluated = (observation: Observation, recordedChanges: readonly RecentChange[] = []) =>
  evaluateSnapshot(observation, defaultPolicy, NOW, { previous: null, recordedChanges })

/** The lines of these families, or of all of them. */
async function linesOf(observation: Observation, ...families: readonly string[]) {
  const published = createPublishedGauges('')
  published.publish(gaugeSamplesOf(evaluated(observation), NO_CONTEXT))
  const lines = (await published.text()).split('\n').filter((line) => /^\w/.test(line))
  return families.length === 0
    ? lines
    : lines.filter((line) => families.some((name) => /^\w+/.exec(line)?.[0] === name))
}

const sample = (week: number, changes = {}) => evidenceOf([aQuotaSample({ week }, changes)])
const of = (provider: string, name: string, changes: Partial<Account> = {}) =>
  anAccount(name, { provider, ...changes })
const dead = {
  message: { kind: 'auth_fault', code: 'token_revoked', deactivated: false },
  messageAt: NOW,
} as const

const claude = [
  [of('claude', 'c1', { claimedPlan: 'max_5x' }), sample(40)],
  [of('claude', 'c2', { claimedPlan: 'pro', ...dead }), null],
] as const
const codex = [[anAccount('a', { claimedPlan: 'plus' }), sample(60)]] as const
const unheardOf = [
  [of('acme', 'x'), sample(50)],
  [of('constructor', 'y'), sample(25)],
] as const

describe('families of each provider', () => {
  it('count names that nobody knows once, and name none', async () => {
    const named = (unknownNames: readonly string[]) => sample(60, { unknownNames })
    const lines = await linesOf(
      aLiveObservation([
        [anAccount('a'), named(['paused', 'mood'])],
        [anAccount('b'), named(['paused'])],
        ...claude,
      ]),
      'provider_unknown_names',
    )
    expect(lines).toEqual([
      'provider_unknown_names{provider="codex"} 2',
      'provider_unknown_names{provider="claude"} 0',
    ])
  })

  it('name what blocks the accounts of each', async () => {
    expect(
      (await linesOf(aLiveObservation([...claude, ...codex]), 'provider_blocked_accounts')).filter(
        (line) => !line.endsWith(' 0'),
      ),
    ).toEqual(['provider_blocked_accounts{provider="claude",reason="auth_invalid"} 1'])
  })

  it('count units of the provider in the windows that its accounts have', async () => {
    expect(
      await linesOf(
        aLiveObservation([...claude, ...codex]),
        'provider_capacity_known_units',
        'provider_capacity_tracked_units',
      ),
    ).toEqual([
      'provider_capacity_known_units{provider="codex",window="5h"} 0.8',
      'provider_capacity_known_units{provider="codex",window="week"} 0.6',
      'provider_capacity_known_units{provider="claude",window="5h"} 4',
      'provider_capacity_known_units{provider="claude",window="week"} 2',
      'provider_capacity_tracked_units{provider="codex",window="5h"} 1',
      'provider_capacity_tracked_units{provider="codex",window="week"} 1',
      'provider_capacity_tracked_units{provider="claude",window="5h"} 6',
      'provider_capacity_tracked_units{provider="claude",window="week"} 6',
    ])
  })

  it('tell stale and unread units apart', async () => {
    const stale = sample(10, { sampledAt: fromNow(-90_000) })
    const observation = aLiveObservation([
      [of('kimi', 'old'), stale],
      [of('kimi', 'never'), null],
    ])

    expect(
      await linesOf(
        observation,
        'provider_capacity_stale_units',
        'provider_capacity_unknown_units',
      ),
    ).toEqual([
      'provider_capacity_unknown_units{provider="kimi",window="5h"} 1',
      'provider_capacity_unknown_units{provider="kimi",window="week"} 1',
      'provider_capacity_stale_units{provider="kimi",window="5h"} 0.8',
      'provider_capacity_stale_units{provider="kimi",window="week"} 0.1',
    ])
  })

  it('add up providers without rules of their own as one, whatever the proxy calls them', async () => {
    const lines = await linesOf(aLiveObservation([...unheardOf, ...codex]))

    expect(lines).toContain('provider_accounts{provider="other"} 2')
    expect(lines).toContain('provider_capacity_known_units{provider="other",window="week"} 0.75')
    expect(lines.join('\n')).not.toMatch(/acme|constructor/)
  })

  it('say whose queries wait', async () => {
    const observation = aLiveObservation([...claude, ...codex])
    const { direct_quota: read } = observation.sources
    const paused = [{ provider: 'claude', until: fromNow(1800), reason: 'throttled' }] as const
    const value = { succeeded: 1, failed: 0, recentFailed: 0, recentCount: 1, paused }
    const sources = {
      ...observation.sources,
      direct_quota: { ...read, lastGood: { at: NOW, value } },
    }

    expect(await linesOf({ ...observation, sources }, 'provider_probes_paused')).toEqual([
      'provider_probes_paused{provider="codex"} 0',
      'provider_probes_paused{provider="claude"} 1',
    ])
  })
})

describe('families of Codex', () => {
  const ofProviders = /^provider_|^health_/
  const others = [...claude, ...unheardOf, [of('xai', 'g'), null]] as const

  it('do not change when other providers join the pool', async () => {
    const alone = await linesOf(aLiveObservation(codex))
    const mixed = await linesOf(aLiveObservation([...others, ...codex]))

    expect(mixed.filter((line) => !ofProviders.test(line))).toEqual(
      alone.filter((line) => !ofProviders.test(line)),
    )
  })

  it('are of no account in a pool without Codex', async () => {
    const lines = await linesOf(aLiveObservation(others))

    expect(lines).toContain('routable_accounts 0')
    expect(lines).toContain('capacity_tracked_plus_units{window="week"} 0')
    const counts = lines.filter((line) => /^\w*(accounts|_units|score)\b/.test(line))
    expect(counts.filter((line) => !ofProviders.test(line) && !line.endsWith(' 0'))).toEqual([])
  })

  it.each([
    ['told in a pool with Codex', [...codex, ...claude], 2],
    ['left out in a pool without Codex', claude, 0],
  ] as const)('have the expected burn %s', (_, accounts, count) => {
    const { week } = noTrends
    const burning = { ...week, runway: { ...week.runway, burnPerHour: 3 } }
    const [gauge] = gaugeSamplesOf(evaluated(aLiveObservation(accounts)), {
      ...NO_CONTEXT,
      trends: { '5h': burning, week: burning },
    }).filter(({ name }) => name === 'capacity_burn_plus_units_per_hour')

    expect(gauge?.samples).toHaveLength(count)
  })
})

it('sums banked resets by provider, and has no sample of a vendor that tells none', async () => {
  const holding = (count: number, expiresIn: readonly number[]) =>
    evidenceOf([aQuotaSample()], {
      bankedResets: { count, sampledAt: NOW, expiresAt: expiresIn.map(fromNow) },
    })
  const accounts = [
    [anAccount('a'), holding(2, [900, 90_000])],
    [anAccount('b'), holding(1, [600])],
    ...claude,
  ] as const
  const families = ['banked_resets', 'banked_reset_expiry_timestamp_seconds']

  expect(await linesOf(aLiveObservation(accounts), ...families)).toEqual([
    'banked_resets{provider="codex"} 3',
    `banked_reset_expiry_timestamp_seconds{provider="codex"} ${fromNow(600) / 1000}`,
  ])
  expect(await linesOf(aLiveObservation([...codex, ...claude]), ...families)).toEqual([])
})
