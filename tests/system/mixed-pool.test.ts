import { type EpochMs, MINUTE_MS } from '@svc/core'
import { createFakeUpstream, type FakeAccount, mixedPool } from '@svc/fake-proxy'
import type { Health, RecommendationItem, Recommendations } from '@svc/views'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { type ServedFake, serveFake } from '../../tooling/serve-fake.ts'
import {
  type LocalService,
  MANAGEMENT_KEY,
  startService,
} from '../../tooling/service/start-service.ts'
import {
  acceleratedClock,
  longDeadline,
  paceOfBusyMachine,
  testInstant,
} from '../../tooling/test-instant.ts'
import { contractErrors } from '../contract.ts'

const PROVIDERS = ['codex', 'claude', 'xai', 'kimi', 'kimi-ai', 'antigravity'] as const
const PER_PROVIDER = 30
/** Time in which every account is asked about once, Claude's one after the other. */
const READ_MS = 7 * MINUTE_MS

/** Services of one proxy on one clock, by what they see of its pool: everything, or one provider. */
const services = new Map<'all' | (typeof PROVIDERS)[number], LocalService>()
const relays: ServedFake[] = []

/** Sends on what the proxy answers, its account list with the accounts of one provider alone. */
async function narrowed(answer: Response, provider: string): Promise<Response> {
  const body = (await answer.json()) as { files: { provider: string }[] }
  const files = body.files.filter((file) => file.provider === provider)
  const headers = new Headers(answer.headers)
  headers.delete('content-length')
  return new Response(JSON.stringify({ ...body, files }), { headers })
}

beforeAll(async () => {
  const clock = acceleratedClock({ factor: paceOfBusyMachine(20) })
  let stoppedAt: EpochMs | null = null
  const time = { ...clock, now: () => stoppedAt ?? clock.now() }
  const accounts = mixedPool(PER_PROVIDER, testInstant)
  for (const account of accounts) {
    // Every service must meet the same pool, whenever it looks.
    account.requestsPerHour = 0
    // A blocked account would end the queries of all others of Antigravity.
    if (account.vendor === 'terms_violated') account.vendor = 'quota'
  }
  const fake = createFakeUpstream({ now: time.now, managementKey: MANAGEMENT_KEY, accounts })
  fake.settings.vendorSecondsApart.claude = 0
  for (const sees of ['all', ...PROVIDERS] as const) {
    const relay = await serveFake(fake, 0, async (request, answer) => {
      const isList = new URL(request.url).pathname.endsWith('/auth-files')
      return isList && sees !== 'all' ? await narrowed(await answer(), sees) : await answer()
    })
    relays.push(relay)
    const flags = {
      'upstream-url': relay.url,
      'quota-probe-providers': 'codex,claude,xai,kimi,antigravity',
      'quota-probes-per-minute': '600',
      ...longDeadline,
    }
    services.set(sees, await startService({ where: 'here', time, flags, key: MANAGEMENT_KEY }))
  }
  // The service of the whole pool has asked, and the one of the account's provider.
  const isAsked = (account: FakeAccount) => {
    const both = (kind: 'quota' | 'plan') =>
      fake.vendorCalls.filter((call) => call.account === account && call.kind === kind).length >= 2
    if (account.disabled || account.vendor !== 'quota') return true
    // The plan of Claude comes with a query of its own.
    return both('quota') && (account.provider !== 'claude' || both('plan'))
  }
  await eventually(
    'every account was asked about',
    () => clock.monotonicMs() > READ_MS && accounts.every(isAsked),
  )
  const at = time.now()
  stoppedAt = at
  await eventually('every service shows one instant', async () => {
    const seen = await Promise.all([...services.keys()].map((sees) => ask(sees, '')))
    return seen.every(({ sampledAt }) => Date.parse(sampledAt ?? '') === at)
  })
})
afterAll(async () => {
  for (const service of services.values()) await service.stop()
  for (const relay of relays) await relay.close()
})

function serviceOf(sees: 'all' | (typeof PROVIDERS)[number]): LocalService {
  const service = services.get(sees)
  if (service === undefined) throw new Error(`no service sees ${sees}`)
  return service
}

async function ask(sees: Parameters<typeof serviceOf>[0], provider: string) {
  const query = provider === '' ? '' : `?provider=${provider}`
  return await serviceOf(sees).json<Recommendations>(`/api/v1/recommendations${query}`)
}

/** An account as far as it does not depend on when it was asked about, and on whose name it shares. */
function judged(item: RecommendationItem) {
  const { accountKey, planKind, capacityWeight, capacityWeightUnit, routingScore } = item
  const { scoreComponents, routingBlockedReasons, blockedModels, quotaWindows } = item
  return {
    ...{ accountKey, planKind, capacityWeight, capacityWeightUnit, routingScore },
    ...{ scoreComponents, routingBlockedReasons, blockedModels },
    // An untouched window ends a whole period after it was read.
    windows: quotaWindows.map(({ id, state, percent, resetAt }) =>
      percent === 100 ? [id, state] : [id, state, percent, resetAt],
    ),
  }
}

/** A ranking with what counts for its pool; names are those of accounts, which others may share. */
function pooled({
  items,
  pools: _all,
  sampledAt: _at,
  source: _source,
  ...counted
}: Recommendations) {
  return { ...nameless(counted), items: items.map(judged) }
}

/** Counts without the names of accounts and providers, which say more where several share one. */
function nameless(counted: object | undefined): object {
  return JSON.parse(
    JSON.stringify(counted, (key, value) => {
      if (key === 'account' || key === 'label') return undefined
      return key === 'answer' ? { ...value, text: undefined } : value
    }),
  )
}

describe(`a pool of ${PROVIDERS.length} × ${PER_PROVIDER} accounts`, () => {
  it.each(PROVIDERS)('says of %s what a service says that sees nothing else', async (provider) => {
    const [mixed, alone] = [await ask('all', provider), await ask(provider, '')]

    expect(alone.items).toHaveLength(PER_PROVIDER)
    expect(alone.routableCount).toBeGreaterThan(0)
    expect(pooled(mixed)).toEqual(pooled(alone))
    const ownPool = mixed.pools?.filter((pool) => pool.provider === provider)
    expect(nameless(ownPool)).toEqual(nameless(alone.pools))
    const health = (sees: typeof provider | 'all') =>
      serviceOf(sees).json<Health>(`/api/v1/health?provider=${provider}`)
    expect(nameless((await health('all')).capacity)).toEqual(
      nameless((await health(provider)).capacity),
    )
  })

  it('has the pools one after the other, each with its own unit', async () => {
    const { pools = [] } = await ask('all', 'all')

    expect(pools.map(({ provider, unit, accounts }) => [provider, unit, accounts])).toEqual([
      ['codex', 'plus', 30],
      ['claude', 'pro', 30],
      ['xai', 'accounts', 30],
      ['kimi', 'accounts', 30],
      ['kimi-ai', 'accounts', 30],
      ['antigravity', 'accounts', 30],
    ])
  })

  it('is that of Codex where nobody says which', async () => {
    expect(pooled(await ask('all', ''))).toEqual(pooled(await ask('codex', '')))
  })

  it('lists several providers in their order, each best first, without a common capacity', async () => {
    for (const [asked, shown] of [
      ['xai,claude', ['claude', 'xai']],
      ['all', PROVIDERS],
    ] as const) {
      const answer = await ask('all', asked)
      const parts = await Promise.all(shown.map((provider) => ask('all', provider)))
      expect(answer.items.map(({ accountKey }) => accountKey)).toEqual(
        parts.flatMap(({ items }) => items.map(({ accountKey }) => accountKey)),
      )
      const sum = (of: (part: Recommendations) => number) =>
        parts.reduce((total, part) => total + of(part), 0)
      expect(answer).toMatchObject({
        provider: asked === 'all' ? 'all' : shown.join(','),
        routableCount: sum((part) => part.routableCount),
        blockedCount: sum((part) => part.blockedCount),
        routingPolicy: { capacityWeightUnit: 'mixed' },
      })
      expect(answer).not.toHaveProperty('capacity')
      expect(contractErrors('/api/v1/recommendations', answer)).toEqual([])
    }
  })

  it('is empty for a provider that is known and not there, and refuses one that nobody knows', async () => {
    expect(await ask('codex', 'claude')).toMatchObject({
      provider: 'claude',
      items: [],
      routableCount: 0,
      blockedCount: 0,
      topScore: 0,
    })
    for (const path of ['recommendations', 'status', 'health', 'pick']) {
      const answer = await fetch(`${serviceOf('all').url}/api/v1/${path}?provider=nobody`)
      expect(answer.status, path).toBe(400)
      expect(await answer.text(), path).toContain('antigravity')
    }
  })
})
