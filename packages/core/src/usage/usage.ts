import { type ProviderId, providerRow } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { UsageMeasures } from '../facts/usage-measures.ts'

/** A sum that grows. */
export type UsageSum = { -readonly [Measure in keyof UsageMeasures]: number }

/** A sum that nothing was added to yet. */
export function emptySum(): UsageSum {
  return { requests: 0, tokens: 0, failed: 0 }
}

/** Adds to a sum in place; no member grows beyond the largest exact number. */
export function addTo(sum: UsageSum, more: UsageMeasures): void {
  sum.requests = Math.min(sum.requests + more.requests, Number.MAX_SAFE_INTEGER)
  sum.tokens = Math.min(sum.tokens + more.tokens, Number.MAX_SAFE_INTEGER)
  sum.failed = Math.min(sum.failed + more.failed, Number.MAX_SAFE_INTEGER)
}

/** Adds up all of these. */
export function sumOfUsage(all: Iterable<UsageMeasures>): UsageMeasures {
  const sum = emptySum()
  for (const one of all) addTo(sum, one)
  return sum
}

/** Ways to cut usage into lines. `api` shows the proxy's client keys as they are, `client` their labels. */
export const usageGroups = [
  'total',
  'account',
  'client',
  'model',
  'api',
  'provider',
  'upstream',
] as const
/** One way to cut usage into lines. */
export type UsageGroup = (typeof usageGroups)[number]

/** What a chart of usage can count. */
export const usageMetrics = ['tokens', 'requests', 'failed'] as const
/** What one chart of usage counts. */
export type UsageMetric = (typeof usageMetrics)[number]

/** What a point of a chart can show: the sum of its bucket, or that sum per minute. */
export const usageModes = ['bucket', 'rate'] as const
/** What the points of one chart show. */
export type UsageMode = (typeof usageModes)[number]

/** What usage is counted for inside a group. */
export interface UsageMember {
  /** Stable inside its group; of an account its key, which holds no e-mail. */
  readonly id: string
  readonly label: string
}

/** A vendor as usage names it: under its label where it has one. */
export function providerMember(provider: ProviderId): UsageMember {
  return { id: provider, label: providerRow(provider)?.label ?? provider }
}

/** Usage of one account by one client with one model, all at one time: a request, or several taken together. */
export interface UsageRecord extends UsageMeasures {
  readonly at: EpochMs
  readonly account: UsageMember
  readonly client: UsageMember
  readonly model: string
  /** The client key or endpoint the proxy counts it under. */
  readonly apiName: string
  /** The vendor, as the proxy names it. */
  readonly provider: ProviderId
  /** The proxy it went through. */
  readonly upstream: UpstreamName
}

/** What one member of a group used. */
export interface UsageRow extends UsageMember, UsageMeasures {}

/** A row that nothing was added to yet. */
export function emptyRow({ id, label }: UsageMember): UsageMember & UsageSum {
  return { id, label, ...emptySum() }
}

/** The entry of a member, created when there is none. */
export function entryOf<Entry>(
  entries: Map<string, Entry>,
  member: UsageMember,
  create: (member: UsageMember) => Entry,
): Entry {
  const known = entries.get(member.id)
  if (known !== undefined) return known
  const created = create(member)
  entries.set(member.id, created)
  return created
}
