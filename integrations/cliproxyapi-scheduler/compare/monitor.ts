import {
  type AccountEvidence,
  accountNamed,
  defaultPolicy,
  type EpochMs,
  type EvaluatedAccount,
  epochMs,
  evaluateAccount,
  evidenceFrom,
  FIVE_HOUR_SECONDS,
  instantToIso,
  plusMs,
  rankAccounts,
  WEEK_SECONDS,
} from '@svc/core'

/** One window at the vendor. */
interface VendorWindow {
  readonly id: '5h' | 'week'
  readonly seconds: number
  /** Share of a request's cost. */
  readonly share: number
  usedPercent: number
  /** Milliseconds since the start of the world; null: not begun. */
  endsMs: number | null
}

/** One account at the vendor and in the proxy. */
export interface VendorAccount {
  readonly name: string
  readonly plan: string
  readonly weight: number
  readonly windows: readonly VendorWindow[]
  lastSuccessMs: number | null
  /** The proxy leaves it out until then. */
  cooldownUntilMs: number
  /** The proxy has forgotten this cooldown once already, when it read its own file again. */
  cooldownForgotten: boolean
}

const START: EpochMs = epochMs(Date.UTC(2026, 10, 20, 12))

/** Instant of a time in milliseconds since the start of a world. */
const instantOf = (ms: number): EpochMs => plusMs(START, ms)

/** Time between two queries of one account's quota. */
const QUERY_EVERY_MS = 5 * 60_000

/** A monitor beside the proxy: it queries quota in turn, and sees the headers of every answer with the next list. */
interface Monitor {
  /** Headers of an answer pass by. */
  see(account: VendorAccount, nowMs: number): void
  /** Answer of `/api/v1/recommendations`, as far as a plugin reads it. */
  rankingAt(nowMs: number): object
}

export function createMonitor(accounts: readonly VendorAccount[], random: () => number): Monitor {
  const evidenceByName = new Map<string, AccountEvidence>()
  const queriedMsByName = new Map(
    accounts.map(({ name }) => [name, -QUERY_EVERY_MS * (1 + random())]),
  )
  const read = (account: VendorAccount, nowMs: number) => {
    const at = instantOf(nowMs)
    const windows = account.windows.map(({ id, usedPercent, endsMs, seconds }) => ({
      id,
      periodSeconds: id === '5h' ? FIVE_HOUR_SECONDS : WEEK_SECONDS,
      percent: Math.round(100 - usedPercent),
      resetAt: instantOf(endsMs ?? nowMs + seconds * 1000),
    }))
    const limitReached = account.windows.some(({ usedPercent }) => usedPercent >= 100)
    const sample = {
      origin: 'direct',
      sampledAt: at,
      plan: null,
      windows,
      unreadableWindowCount: 0,
      limitReached,
      spendReached: null,
    } as const
    evidenceByName.set(account.name, evidenceFrom([sample]))
  }
  return {
    see: read,
    rankingAt(nowMs) {
      for (const account of accounts) {
        if (nowMs - (queriedMsByName.get(account.name) ?? 0) < QUERY_EVERY_MS) continue
        queriedMsByName.set(account.name, nowMs)
        read(account, nowMs)
      }
      const evaluated = accounts.map(({ name, plan, lastSuccessMs }) => {
        const lastSuccessAt = lastSuccessMs === null ? null : instantOf(lastSuccessMs)
        const account = accountNamed(name, { claimedPlan: plan, lastSuccessAt })
        return evaluateAccount(
          account,
          evidenceByName.get(name) ?? null,
          defaultPolicy,
          instantOf(nowMs),
        )
      })
      return { source: { kind: 'live' }, items: rankAccounts(evaluated).map(itemOf) }
    },
  }
}

function itemOf({ selector, score, routable, lastSample }: EvaluatedAccount): object {
  const { authName } = selector
  const sampledAt = lastSample === null ? null : instantToIso(lastSample.at)
  return {
    selector: { authName },
    provider: 'codex',
    routingScore: score,
    routingEligible: routable,
    quotaWindows: [{ sampledAt }],
  }
}
