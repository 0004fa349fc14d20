import { type ProviderId, providerRow } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import { type CountedUsage, emptySum, type UsageCounts, type UsageSum } from './usage-counts.ts'
import type { RequestTime } from './usage-metrics.ts'

/** Ways to split usage into lines. `api` shows the proxy's client keys unchanged, `client` their labels. */
export const usageGroups = [
  'total',
  'account',
  'client',
  'model',
  'api',
  'provider',
  'upstream',
] as const
/** One way to split usage into lines. */
export type UsageGroup = (typeof usageGroups)[number]

/** Modes of a chart's points: the sum of the bucket, or that sum per minute. */
export const usageModes = ['bucket', 'rate'] as const
/** Mode of one chart's points. */
export type UsageMode = (typeof usageModes)[number]

/** A member of a group for which usage is counted. */
export interface UsageMember {
  /** Stable within its group; for an account its key, which contains no e-mail address. */
  readonly id: string
  readonly label: string
  /** The members that a member of two groups is made of, in the order of the groups. */
  readonly members?: readonly UsageMember[]
}

/** A vendor as a member of a group, with its label if it has one. */
export function providerMember(provider: ProviderId): UsageMember {
  return { id: provider, label: providerRow(provider)?.label ?? provider }
}

/** Usage of one account by one client with one model at one time: a single request, or several merged. Times are those of one request; null or omitted if unknown. */
export interface UsageRecord
  extends CountedUsage,
    Readonly<Partial<Record<RequestTime, number | null>>> {
  readonly at: EpochMs
  readonly account: UsageMember
  readonly client: UsageMember
  readonly model: string
  /** The client key or endpoint under which the proxy counts the usage. */
  readonly apiName: string
  /** The proxy's name for the vendor. */
  readonly provider: ProviderId
  /** The proxy the usage went through. */
  readonly upstream: UpstreamName
}

/** Usage of one member of a group. */
export interface UsageRow extends UsageMember, UsageCounts {}

/** A row without usage. */
export function emptyRow({ id, label, members }: UsageMember): UsageMember & UsageSum {
  return { id, label, ...(members === undefined ? {} : { members }), ...emptySum() }
}

/** The entry of a member, created if there is none. */
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
