import type { ProviderId } from '../facts/provider.ts'
import { DAY_MS, type EpochMs, epochMs } from '../facts/time.ts'
import type { FailureCause } from './failure-cause.ts'
import { bandOf, type ServiceTier } from './rate.ts'
import { addTo, emptySum, type UsageCounts, type UsageSum } from './usage-counts.ts'
import { providerOfUsage, type UsageDetail } from './usage-detail.ts'

interface PairOfModel {
  readonly provider: ProviderId
  readonly model: string
}

/** Stored requests, summed by what labels their counters. */
export interface UsageIncrements {
  readonly models: readonly (PairOfModel & { readonly sum: UsageCounts })[]
  /** By API name, or by label once labels are known. */
  readonly clients: readonly ClientIncrement[]
  readonly failures: readonly (FailureCause & {
    readonly provider: ProviderId
    readonly requests: number
  })[]
  /** Seconds until the first token of each request that has one. */
  readonly firstTokens: readonly {
    readonly provider: ProviderId
    readonly seconds: readonly number[]
  }[]
  readonly priceable: readonly PriceableUsage[]
}

/** Finest key of prices beside the rate: the model, or the account too; null without prices. */
export type PricedBy = 'model' | 'account' | null

/** Stored requests of known token classes, summed by what their price depends on. */
export interface PriceableUsage extends PairOfModel {
  /** Empty unless prices depend on it. */
  readonly account: string
  /** API name, or label once labels are known. */
  readonly client: string
  readonly tier: ServiceTier | null
  readonly band: number
  /** Start of the UTC day on which they started. */
  readonly dayStart: EpochMs
  readonly sum: UsageCounts
}

/** Cost of a client's priced requests to a model; without any it is left out. */
export interface CountedCost extends PairOfModel {
  readonly client: string
  readonly usd: number
}

/** Increments as they are counted: without API names and accounts, and priced. */
export interface CountedIncrements extends Omit<UsageIncrements, 'priceable'> {
  readonly costs: readonly CountedCost[]
}

export interface ClientIncrement {
  readonly client: string
  readonly requests: number
  readonly tokens: number
}

/** Models and labelled clients by their usage, the most used first. */
export interface UsageRanking {
  readonly models: readonly PairOfModel[]
  readonly clients: readonly string[]
}

/** Adds up stored requests until they are taken. */
export function createUsageIncrements(pricedBy: PricedBy) {
  let models = new Map<string, PairOfModel & { readonly sum: UsageSum }>()
  let clients = new Map<
    string,
    { -readonly [Key in keyof ClientIncrement]: ClientIncrement[Key] }
  >()
  let failures = new Map<string, FailureCause & { readonly provider: string; requests: number }>()
  let firstTokens = new Map<string, { readonly provider: string; readonly seconds: number[] }>()
  let priceable = new Map<string, PriceableUsage & { readonly sum: UsageSum }>()

  const addPriceable = (provider: ProviderId, detail: UsageDetail) => {
    const { at, apiName: client, model, tokens, tier = null, classes } = detail
    const band = bandOf(classes)
    if (band === null || pricedBy === null) return
    const account = pricedBy === 'account' ? detail.accountKey : ''
    const dayStart = epochMs(Math.floor(at / DAY_MS) * DAY_MS)
    const key = keyOf(provider, model, account, client, tier ?? '', band, dayStart)
    const none = { provider, model, account, client, tier, band, dayStart, sum: emptySum() }
    addTo(entryIn(priceable, key, none).sum, { requests: 1, tokens, failed: 0, ...classes })
  }
  const addFailure = (provider: ProviderId, { cause }: UsageDetail) => {
    const { status, code } = cause ?? { status: 0, code: 'none' }
    const none = { provider, status, code, requests: 0 }
    entryIn(failures, keyOf(provider, status, code), none).requests += 1
  }
  return {
    add(details: readonly UsageDetail[]): void {
      for (const detail of details) {
        const { model, apiName: client, tokens, failed, failure, classes, firstTokenMs } = detail
        const provider = providerOfUsage(detail)
        const { sum } = entryIn(models, keyOf(provider, model), {
          provider,
          model,
          sum: emptySum(),
        })
        const failureCount = failure == null ? {} : { [failure]: 1 }
        addTo(sum, { requests: 1, tokens, failed: Number(failed), ...classes, ...failureCount })
        const ofClient = entryIn(clients, client, { client, requests: 0, tokens: 0 })
        ofClient.requests += 1
        ofClient.tokens += tokens
        if (failed) addFailure(provider, detail)
        addPriceable(provider, detail)
        if (firstTokenMs != null)
          entryIn(firstTokens, provider, { provider, seconds: [] }).seconds.push(
            firstTokenMs / 1000,
          )
      }
    },
    /** Sums since they were last taken. */
    take(): UsageIncrements {
      const taken = {
        models: [...models.values()],
        clients: [...clients.values()],
        failures: [...failures.values()],
        firstTokens: [...firstTokens.values()],
        priceable: [...priceable.values()],
      }
      models = new Map()
      clients = new Map()
      failures = new Map()
      firstTokens = new Map()
      priceable = new Map()
      return taken
    },
  }
}

const UNLABELLED = '_unlabelled_'

/** Increments as they are counted. API names are secret: each becomes its label, and clients without one are one. */
export function countedIncrements(
  { priceable, ...increments }: UsageIncrements,
  labels: ReadonlyMap<string, string>,
  costsOf: (usage: readonly PriceableUsage[]) => readonly CountedCost[],
): CountedIncrements {
  const labelled = (apiName: string) => labels.get(apiName) ?? UNLABELLED
  const clients = new Map<string, ClientIncrement>()
  for (const { client: apiName, requests, tokens } of increments.clients) {
    const client = labelled(apiName)
    const sum = clients.get(client)
    clients.set(client, {
      client,
      requests: requests + (sum?.requests ?? 0),
      tokens: tokens + (sum?.tokens ?? 0),
    })
  }
  const costs = costsOf(priceable.map((one) => ({ ...one, client: labelled(one.client) })))
  return { ...increments, clients: [...clients.values()], costs }
}

/** Label of all that has no series of its own. */
const OVERFLOW = '_overflow_'
const PROVIDERS_MAX = 20
/** Maximum number of names without a place that are remembered, so that each is counted once. */
const DROPPED_MAX = 10_000

/** Labels of counters of usage. At most `max` pairs of provider and model, as many clients and as many causes have series of their own: the ranked, then those that come first. */
export function createUsageLabels(max: number) {
  const providers = createPlaces(Math.min(max, PROVIDERS_MAX))
  const [models, clients, causes] = [createPlaces(max), createPlaces(max), createPlaces(max)]
  const providerOf = (name: ProviderId): string => {
    const provider = labelOf(name)
    return providers.has(provider) ? provider : OVERFLOW
  }
  const labels = {
    ofProvider: (provider: ProviderId) => ({ provider: providerOf(provider) }),
    ofModel(pair: PairOfModel) {
      const provider = providerOf(pair.provider)
      const model = labelOf(pair.model)
      return { provider, model: models.has(keyOf(provider, model)) ? model : OVERFLOW }
    },
    ofClient(name: string) {
      const client = labelOf(name)
      return { client: client === UNLABELLED || clients.has(client) ? client : OVERFLOW }
    },
    ofCause({ provider: name, status, code }: FailureCause & { readonly provider: ProviderId }) {
      const provider = providerOf(name)
      const hasPlace = causes.has(keyOf(provider, status, code))
      return hasPlace
        ? { provider, status: String(status), code: labelOf(code) }
        : { provider, status: OVERFLOW, code: OVERFLOW }
    },
    /** Gives places that are free to the most used. */
    rank(ranking: UsageRanking): void {
      for (const pair of ranking.models) labels.ofModel(pair)
      for (const client of ranking.clients) labels.ofClient(client)
    },
    /** Number of names without a place; of each kind 10,000 at most. */
    droppedCount: () =>
      [providers, models, clients, causes].reduce(
        (sum, { droppedCount }) => sum + droppedCount(),
        0,
      ),
  }
  return labels
}

function createPlaces(max: number) {
  const placed = new Set<string>()
  const dropped = new Set<string>()
  return {
    /** Whether the name has a place, which it takes if one is free. */
    has(name: string): boolean {
      if (placed.has(name)) return true
      if (placed.size < max) placed.add(name)
      else if (dropped.size < DROPPED_MAX) dropped.add(name)
      return placed.has(name)
    },
    droppedCount: () => dropped.size,
  }
}

const LABEL_LENGTH_MAX = 120

function labelOf(name: string): string {
  const shown = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
  return shown.length <= LABEL_LENGTH_MAX ? shown : [...shown].slice(0, LABEL_LENGTH_MAX).join('')
}

function keyOf(...parts: readonly (string | number)[]): string {
  return parts.join('\n')
}

function entryIn<Entry>(entries: Map<string, Entry>, key: string, none: Entry): Entry {
  const known = entries.get(key)
  if (known !== undefined) return known
  entries.set(key, none)
  return none
}
