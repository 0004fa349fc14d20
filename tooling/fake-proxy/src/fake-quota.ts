import { type EpochMs, epochMs, FIVE_HOUR_SECONDS, WEEK_SECONDS } from '@svc/core'
import {
  aFakeWindow,
  burnWindow,
  endOf,
  type FakeWindow,
  isExhausted,
  MONTH_SECONDS,
  rollWindow,
} from './vendors/fake-window.ts'

/** Quota of one account at the vendor. `main` holds primary and secondary window, in that order; empty means `rate_limit: null`. */
export interface FakeQuota {
  main: FakeWindow[]
  codeReview: FakeWindow | null
  extra: {
    readonly limitName: string
    readonly meteredFeature: string
    readonly window: FakeWindow
  }[]
  /** The workspace's spend limit; reached at 100. */
  spend: FakeWindow | null
}

/** Shapes of quota seen at the vendor. See docs/upstream.md#codex-quota. */
const quotaOfForm = {
  two_windows: () => mainOnly(fiveHour(10), week(20)),
  exhausted_5h: () => mainOnly(fiveHour(100), week(64)),
  exhausted_week: () => mainOnly(fiveHour(40), week(100)),
  weekly_only(): FakeQuota {
    const spark = aFakeWindow({ seconds: WEEK_SECONDS, resetsInSeconds: 602_111 })
    const limit = { limitName: 'GPT-5.3-Codex-Spark', meteredFeature: 'codex_bengalfox' }
    return { ...mainOnly(week(3)), extra: [{ ...limit, window: spark }] }
  },
  free: () => mainOnly(aFakeWindow({ seconds: WEEK_SECONDS })),
  team: () => ({ ...mainOnly(week(100)), spend: month(4, 2_105_558) }),
  monthly: () => mainOnly(month(30, 1_200_000)),
  spend_reached: () => ({ ...mainOnly(fiveHour(10), week(20)), spend: month(100, 2_105_558) }),
  code_review: () => ({ ...mainOnly(fiveHour(10), week(20)), codeReview: week(5, 500_000) }),
  no_windows: () => mainOnly(),
} as const satisfies Readonly<Record<string, () => FakeQuota>>
export type FakeQuotaForm = keyof typeof quotaOfForm
export const fakeQuotaForms = Object.keys(quotaOfForm) as readonly FakeQuotaForm[]

export function isQuotaForm(name: unknown): name is FakeQuotaForm {
  return fakeQuotaForms.some((form) => form === name)
}

/** A quota of this form; `used` sets the percent used of the main windows in order, `resets` their seconds until the reset (null: not started). */
export function aFakeQuota(
  form: FakeQuotaForm,
  changes: { readonly used?: readonly number[]; readonly resets?: readonly (number | null)[] } = {},
): FakeQuota {
  const quota: FakeQuota = quotaOfForm[form]()
  for (const [index, window] of quota.main.entries()) {
    const used = changes.used?.[index]
    const resetsInSeconds = changes.resets?.[index]
    if (used !== undefined) window.usedPercent = used
    if (resetsInSeconds === null) window.clock = { kind: 'idle' }
    else if (resetsInSeconds !== undefined)
      window.clock = { kind: 'ends_in', seconds: resetsInSeconds }
  }
  return quota
}

function mainOnly(...main: FakeWindow[]): FakeQuota {
  return { main, codeReview: null, extra: [], spend: null }
}

function fiveHour(usedPercent: number): FakeWindow {
  return aFakeWindow({ seconds: FIVE_HOUR_SECONDS, usedPercent, resetsInSeconds: 9_000 })
}

function week(usedPercent: number, resetsInSeconds = 400_000): FakeWindow {
  return aFakeWindow({ seconds: WEEK_SECONDS, usedPercent, resetsInSeconds })
}

function month(usedPercent: number, resetsInSeconds: number): FakeWindow {
  return aFakeWindow({ seconds: MONTH_SECONDS, usedPercent, resetsInSeconds })
}

/** Moves every window to `at`: gives new ones a fixed end and empties those whose reset has passed. */
export function rollQuota(quota: FakeQuota, at: EpochMs): void {
  for (const window of windowsOf(quota)) rollWindow(window, at)
}

/** Burns one request at `at` and starts idle windows. Leaves the extra limits and the code review unchanged. */
export function burnQuota(quota: FakeQuota, at: EpochMs): void {
  for (const window of quota.main) burnWindow(window, at)
}

/** Time the account may work again; null if nothing blocks it now. Call after `rollQuota`. */
export function exhaustedUntil(quota: FakeQuota, at: EpochMs): EpochMs | null {
  const exhausted = [...quota.main, ...(quota.spend === null ? [] : [quota.spend])].filter(
    isExhausted,
  )
  if (exhausted.length === 0) return null
  return epochMs(Math.max(...exhausted.map((window) => endOf(window, at))))
}

function windowsOf(quota: FakeQuota): readonly FakeWindow[] {
  const single = [quota.codeReview, quota.spend].filter((window) => window !== null)
  return [...quota.main, ...quota.extra.map((limit) => limit.window), ...single]
}

/** Resets to spend: one for each expiry; null for one that never lapses. */
export interface FakeBankedResets {
  expiresAt: readonly (EpochMs | null)[]
  /** The vendor's answer to a query for the list of them. */
  list: 'answered' | 'missing' | 'refused' | 'hanging'
}

interface UsageOwner {
  readonly email: string
  readonly accountId: string
  readonly vendorPlan: string
  readonly quota: FakeQuota
  readonly bankedResets?: FakeBankedResets | null
}

/** The vendor's `wham/usage` document, with fields in the order of recorded answers. Call after `rollQuota`. */
export function usageDocument(owner: UsageOwner, at: EpochMs): object {
  const { main, codeReview, extra, spend } = owner.quota
  return {
    user_id: `user-${owner.accountId.slice(-4)}`,
    account_id: owner.accountId,
    email: owner.email,
    plan_type: owner.vendorPlan,
    rate_limit: main.length === 0 ? null : rateLimit(main, at),
    code_review_rate_limit: codeReview === null ? null : rateLimit([codeReview], at),
    additional_rate_limits:
      extra.length === 0
        ? null
        : extra.map((limit) => ({
            limit_name: limit.limitName,
            metered_feature: limit.meteredFeature,
            rate_limit: rateLimit([limit.window], at),
          })),
    ...(owner.bankedResets != null && {
      rate_limit_reset_credits: { available_count: owner.bankedResets.expiresAt.length },
    }),
    credits: { has_credits: false, unlimited: false, balance: '0' },
    spend_control: {
      reached: spend !== null && isExhausted(spend),
      individual_limit: spend === null ? null : spendLimit(spend, at),
    },
    rate_limit_reached_type: main.some(isExhausted) ? { type: 'rate_limit_reached' } : null,
  }
}

/** The quota in the headers of a vendor's answer. See docs/upstream.md#usage-records. */
export function quotaHeaders(
  quota: FakeQuota,
  plan: string,
  at: EpochMs,
): Readonly<Record<string, readonly string[]>> {
  const slots = ['Primary', 'Secondary'] as const
  const headers = quota.main.flatMap((window, index) => {
    const prefix = `X-Codex-${slots[index] ?? 'Secondary'}-`
    return [
      [`${prefix}Used-Percent`, [String(wholePercent(window.usedPercent))]],
      [`${prefix}Window-Minutes`, [String(window.seconds / 60)]],
      [`${prefix}Reset-At`, [String(Math.ceil(endOf(window, at) / 1000))]],
    ] as const
  })
  return Object.fromEntries([
    ['X-Codex-Plan-Type', [plan]],
    ['Set-Cookie', ['session=never-to-be-kept']],
    ...headers,
  ])
}

function rateLimit(windows: readonly FakeWindow[], at: EpochMs): object {
  const reached = windows.some(isExhausted)
  const [primary, secondary] = windows
  return {
    allowed: !reached,
    limit_reached: reached,
    primary_window: primary === undefined ? null : windowDocument(primary, at),
    secondary_window: secondary === undefined ? null : windowDocument(secondary, at),
  }
}

function windowDocument(window: FakeWindow, at: EpochMs): object {
  return {
    used_percent: wholePercent(window.usedPercent),
    limit_window_seconds: window.seconds,
    ...resetDocument(window, at),
  }
}

function resetDocument(window: FakeWindow, at: EpochMs): object {
  const resetAt = Math.ceil(endOf(window, at) / 1000)
  return { reset_after_seconds: resetAt - Math.floor(at / 1000), reset_at: resetAt }
}

function spendLimit(spend: FakeWindow, at: EpochMs): object {
  const used = wholePercent(spend.usedPercent)
  return {
    source: 'workspace_spend_controls',
    limit: '1000',
    used: String(used * 10),
    remaining: String(1000 - used * 10),
    used_percent: used,
    remaining_percent: 100 - used,
    ...resetDocument(spend, at),
  }
}

/** Whole percent, rounded down so that only a used-up window shows 100; the margin absorbs rounding errors of repeated addition. */
function wholePercent(usedPercent: number): number {
  return Math.floor(usedPercent + 1e-6)
}
