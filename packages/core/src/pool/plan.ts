import type { EpochMs } from '../facts/time.ts'
import { fileKeyOf, type UpstreamName } from '../facts/upstream.ts'

export interface PlanFile {
  readonly upstream: UpstreamName
  readonly authName: string
}

/** Members of an auth file that the plan reads. */
export interface PlanAccount extends PlanFile {
  /** Whether the file is disabled at the proxy, by anybody. */
  readonly off: boolean
  /** Used-up windows with their resets, null if unknown; empty if quota is left or unknown. */
  readonly usedUp: readonly { readonly slug: string; readonly until: EpochMs | null }[]
  /** Time of the oldest reading of its main windows if all of them have quota left; null otherwise, or if one was not read. */
  readonly quotaReadAt: EpochMs | null
  readonly routable: boolean
  readonly score: number
  /** Routing priority at the proxy, which uses the highest first; null if none is set. */
  readonly priority: number | null
}

/** A file that the plan proposed to disable; kept until the file is enabled again with quota left. */
export interface ProposedOff extends PlanFile {
  readonly proposedAt: EpochMs
  /** Slugs of the windows that were used up. */
  readonly reasons: readonly string[]
  /** Last reset of these windows; null if unknown. */
  readonly until: EpochMs | null
}

/** A difference between the plan and the state at the proxy. */
export type PlanChange = PlanFile &
  (
    | {
        readonly kind: 'switch_off'
        readonly reasons: readonly string[]
        readonly until: EpochMs | null
      }
    | {
        readonly kind: 'switch_on'
        readonly reasons: readonly string[]
        /** `reset`: the reset has passed. `reading`: a newer reading shows quota. */
        readonly because: 'reset' | 'reading'
        readonly since: EpochMs
      }
    | {
        readonly kind: 'set_priority'
        readonly from: number | null
        readonly to: number
        readonly score: number
        readonly bestScore: number
      }
  )

interface ProxyPlan {
  readonly changes: readonly PlanChange[]
  /** Files that an earlier plan proposed to disable and that stay disabled for now. */
  readonly off: readonly ProposedOff[]
  /** Input of the next plan. */
  readonly proposed: readonly ProposedOff[]
}

/**
 * Changes to make at the proxies: used-up accounts to disable, and accounts to enable that an earlier plan disabled. An account that somebody
 * else disabled stays disabled. See docs/rules.md#plan.
 */
export function proxyPlanOf({
  accounts,
  proposed,
  now,
}: {
  readonly accounts: readonly PlanAccount[]
  readonly proposed: readonly ProposedOff[]
  readonly now: EpochMs
}): ProxyPlan {
  const earlier = new Map(proposed.map((file) => [keyOf(file), file]))
  const listed = new Set(accounts.map(({ upstream }) => upstream))
  const changes: PlanChange[] = []
  const staysOff: ProposedOff[] = []
  // A proxy of which nothing is listed has not been read; its files are not gone.
  const kept: ProposedOff[] = proposed.filter(({ upstream }) => !listed.has(upstream))
  for (const account of accounts) {
    const { upstream, authName, off } = account
    const known = earlier.get(keyOf(account))
    const file = { upstream, authName }
    if (off && known === undefined) continue
    if (account.usedUp.length > 0) {
      const reasons = account.usedUp.map(({ slug }) => slug)
      const until = endOf(account)
      const proposedAt = off && known !== undefined ? known.proposedAt : now
      const proposal = { ...file, proposedAt, reasons, until }
      kept.push(proposal)
      if (off) staysOff.push(proposal)
      else changes.push({ ...file, kind: 'switch_off', reasons, until })
      continue
    }
    if (!off || known === undefined) continue
    kept.push(known)
    const { reasons, until, proposedAt } = known
    const read = account.quotaReadAt
    if (until !== null && until <= now)
      changes.push({ ...file, kind: 'switch_on', reasons, because: 'reset', since: until })
    else if (read !== null && read > proposedAt)
      changes.push({ ...file, kind: 'switch_on', reasons, because: 'reading', since: read })
    else staysOff.push(known)
  }
  return { changes, off: staysOff, proposed: kept }
}

/** Tiers, best first: priority, and maximum points of an account below the best one. A file without a priority has 0. */
const TIERS = [
  { priority: 2, pointsBelow: 10 },
  { priority: 1, pointsBelow: 30 },
  { priority: 0, pointsBelow: Number.POSITIVE_INFINITY },
] as const
/** Points by which an account must exceed the bound of its tier to leave it, so that a wobbling score changes nothing. */
const TIER_MARGIN = 6

/**
 * Priorities to change so that each proxy uses its best accounts first. Blocked accounts keep theirs, because every change rewrites a file.
 * Accounts with a priority outside the tiers keep theirs too, because somebody else set it.
 */
export function priorityChangesOf(accounts: readonly PlanAccount[]): readonly PlanChange[] {
  const bestScores = new Map<UpstreamName, number>()
  const routable = accounts.filter((account) => account.routable)
  for (const { upstream, score } of routable)
    bestScores.set(upstream, Math.max(score, bestScores.get(upstream) ?? 0))
  return routable.flatMap(({ upstream, authName, score, priority }): readonly PlanChange[] => {
    const bestScore = bestScores.get(upstream) ?? score
    const to = tierOf(bestScore - score, priority ?? 0)
    if (to === null || to === (priority ?? 0)) return []
    return [{ kind: 'set_priority', upstream, authName, from: priority, to, score, bestScore }]
  })
}

/** Priority for an account this many points below the best; null if `current` belongs to no tier. */
function tierOf(pointsBelow: number, current: number): number | null {
  const tier = TIERS.findIndex(({ priority }) => priority === current)
  if (tier < 0) return null
  const above = TIERS[tier - 1]?.pointsBelow ?? Number.NEGATIVE_INFINITY
  const below = TIERS[tier]?.pointsBelow ?? Number.POSITIVE_INFINITY
  if (pointsBelow > above - TIER_MARGIN && pointsBelow <= below + TIER_MARGIN) return current
  return TIERS.find((each) => pointsBelow <= each.pointsBelow)?.priority ?? null
}

function keyOf({ upstream, authName }: PlanFile): string {
  return fileKeyOf({ upstream, selector: { authName } })
}

/** Last reset of the used-up windows; null if the time of one is unknown. */
function endOf({ usedUp }: PlanAccount): EpochMs | null {
  let end: EpochMs | null = null
  for (const { until } of usedUp) {
    if (until === null) return null
    if (end === null || until > end) end = until
  }
  return end
}
