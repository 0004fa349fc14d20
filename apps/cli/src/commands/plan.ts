import type { Health, Recommendations } from '@svc/client'
import { resolveConfig, upstreamsOf } from '@svc/config'
import { type EpochMs, parseInstant } from '@svc/core'
import {
  type PlanAccount,
  type PlanChange,
  type ProposedOff,
  priorityChangesOf,
  proxyPlanOf,
} from '@svc/core/pool'
import { ASSUMED_PROVIDER, DEFAULT_UPSTREAM, type ProxyGeneration } from '@svc/core/service'
import { createZone } from '@svc/views/format'
import { planMemory } from '../plan/plan-memory.ts'
import { scriptOf } from '../plan/plan-script.ts'
import { offLine, planDocument, planText, USED_UP, wordedChange } from '../plan/plan-words.ts'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { configInput, isOn, type ParsedOptions } from '../program/flags.ts'
import { asFarAsRead, askService, providerFilter } from '../service/running-service.ts'

type Item = Recommendations['items'][number]

/**
 * Prints the changes proposed for the proxy, and remembers the proposals. Resolves with the exit code: 0 for no changes, 1 for changes. Throws
 * ConfigError.
 */
export async function plan(options: ParsedOptions, context: CliContext): Promise<number> {
  if (isOn(options.sh) && isOn(options.json))
    return usageError(context, 'plan prints commands (--sh) or a document (--json), not both')
  return await askService(options, context, async (client, url) => {
    const pool = await client.recommendations(providerFilter(options))
    const { kind, text: known } = pool.source
    if (kind === 'unavailable' || kind === 'stale') {
      const problem = `no plan, because the pool is not known: ${known}`
      return { problem, ...(await asFarAsRead(EXIT.unknown, kind, client)) }
    }
    const generations = isOn(options.sh)
      ? generationsIn((await client.health()).sources)
      : new Map<string, never>()
    const now = context.clock.now()
    const accounts = pool.items.map(planAccountOf)
    const memory = planMemory(context, url)
    const [ofPool, ofOthers] = ofThisAnswer(memory.proposed, pool)
    const { changes, off, proposed } = proxyPlanOf({ accounts, proposed: ofPool, now })
    // An account that is switched off and not remembered would never be proposed to be switched on.
    memory.keep([...proposed, ...ofOthers])
    const all = isOn(options.priorities) ? [...changes, ...prioritiesIn(pool)] : changes
    const isFleet = pool.items.some(({ upstream }) => upstream !== undefined)
    const zone = createZone(context.hostTimeZone ?? 'UTC')
    const moment = { zone, now, isFleet }
    const worded = all.map((change) => wordedChange(change, moment))
    return {
      exit: all.length === 0 ? EXIT.ok : EXIT.failed,
      document: planDocument(pool, worded, off, moment),
      text: () =>
        isOn(options.sh)
          ? scriptOf(worded, { urls: proxyUrls(options, context), isFleet, generations })
          : planText(worded) + off.map((file) => offLine(file, moment)).join(''),
    }
  })
}

/** Addresses of the proxies in the configuration; empty if the service is not the configured one. */
function proxyUrls(options: ParsedOptions, context: CliContext): ReadonlyMap<string, string> {
  if (options.url !== undefined && options.config === undefined) return new Map()
  const { config } = resolveConfig(configInput(options, context))
  return new Map(upstreamsOf(config).map(({ name, upstream }) => [name, upstream.upstreamUrl]))
}

/** Generation of the management API of each proxy that has returned an account list. */
function generationsIn(sources: Health['sources']): ReadonlyMap<string, ProxyGeneration> {
  return new Map(
    sources.flatMap(({ upstream = DEFAULT_UPSTREAM, generation }) =>
      generation === undefined ? [] : [[upstream, generation] as const],
    ),
  )
}

/** Splits the proposals into those for providers in this answer and those for other providers, whose files the answer does not list. */
function ofThisAnswer(
  proposed: readonly ProposedOff[],
  { provider, pools = [], items }: Recommendations,
): readonly [readonly ProposedOff[], readonly ProposedOff[]] {
  if (provider === 'all' || pools.length <= 1) return [proposed, []]
  const isListed = (file: ProposedOff) =>
    items.some(
      ({ selector, upstream = DEFAULT_UPSTREAM }) =>
        selector.authName === file.authName && upstream === file.upstream,
    )
  return [proposed.filter(isListed), proposed.filter((file) => !isListed(file))]
}

/** Priorities within each provider, because scores of different providers are not comparable. */
function prioritiesIn({ items }: Recommendations): readonly PlanChange[] {
  const providerOf = ({ provider = ASSUMED_PROVIDER }: Item) => provider
  return [...new Set(items.map(providerOf))].flatMap((provider) =>
    priorityChangesOf(items.filter((item) => providerOf(item) === provider).map(planAccountOf)),
  )
}

function planAccountOf(item: Item): PlanAccount {
  return {
    upstream: item.upstream ?? DEFAULT_UPSTREAM,
    authName: item.selector.authName,
    off: item.routingBlockedReasons.includes('operator_disabled'),
    usedUp: (item.blocked ?? [])
      .filter(({ slug }) => slug.startsWith(USED_UP))
      .map(({ slug, until }) => ({ slug, until: until === null ? null : parseInstant(until) })),
    quotaReadAt: quotaReadAt(item),
    routable: item.routingEligible,
    score: item.routingScore,
    priority: item.priority ?? null,
  }
}

function quotaReadAt({ quotaWindows }: Item): EpochMs | null {
  let oldest: EpochMs | null = null
  for (const { state, rolledOver, sampledAt } of quotaWindows) {
    if (state === 'absent') continue
    const readAt = state === 'known' && rolledOver !== true ? parseInstant(sampledAt ?? '') : null
    if (readAt === null) return null
    if (oldest === null || readAt < oldest) oldest = readAt
  }
  return oldest
}
