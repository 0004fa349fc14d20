import { MINUTE_MS } from './time.ts'
import type { WindowId } from './window.ts'

/** The vendor of an account, by the proxy's name for it: one with a row here, or any other. */
export type ProviderId = string

export interface PlanRow {
  /** Units of its provider per full window. 0 = untracked: routable, but no part of the pool's capacity. See docs/rules.md#plans-and-capacity-weight. */
  readonly capacityWeight: number
  /** Name as shown; left out: the plan's own, capitalised. */
  readonly label?: string
  /** Other names of the plan used by the vendor, normalised. */
  readonly aliases?: readonly string[]
}

/** Unit of a provider's capacity: full windows of this plan, or accounts where the vendor publishes no sizes. Units of two providers never add up. */
export type CapacityUnit = 'plus' | 'pro' | 'accounts'

interface ProviderRow {
  /** Name as shown, before the word `account`. */
  readonly label: string
  readonly unit: CapacityUnit
  /** Plans with their own weight or alias, by normalised name. The same name may have another weight at another provider. */
  readonly plans: Readonly<Record<string, PlanRow>>
  /** Weight of every plan without a row, also of an unknown one. */
  readonly otherPlansWeight: number
  /** Windows of the account itself beside 5h and the week that count in the pool's capacity, shortest first. */
  readonly furtherWindows: readonly WindowId[]
  /** Whether a percent of the week is known to be worth so many of 5h, so that a nearly used week caps it. */
  readonly weekCapsFiveHour: boolean
  /** Least time between two direct queries of one account; 0: the schedule alone decides. See docs/rules.md#asking-politely. */
  readonly queriesApartSeconds: number
  /** Least time between two refused queries that condemn a login. 0: a list read in between is enough. */
  readonly refusalsApartMs: number
}

/** The refresh by the proxy may come late: a token is refused meanwhile although the login is well. */
const REFRESH_MS = 15 * MINUTE_MS

/** A provider whose vendor publishes no sizes of plans: each account counts 1. */
const oneEach = {
  unit: 'accounts',
  otherPlansWeight: 1,
  furtherWindows: ['day', 'month'],
  weekCapsFiveHour: false,
  queriesApartSeconds: 10 * 60,
  refusalsApartMs: REFRESH_MS,
} as const

/** Every provider with rules of its own, with its plans, in display order. A new plan is one row here. */
export const providerRows = {
  codex: {
    label: 'Codex',
    unit: 'plus',
    otherPlansWeight: 0,
    furtherWindows: [],
    weekCapsFiveHour: true,
    queriesApartSeconds: 0,
    refusalsApartMs: 0,
    plans: {
      plus: { capacityWeight: 1 },
      team: { capacityWeight: 1 },
      prolite: { capacityWeight: 5, aliases: ['pro5x'] },
      pro: { capacityWeight: 20, aliases: ['pro20x'] },
      free: { capacityWeight: 0 },
      go: { capacityWeight: 0 },
      business: { capacityWeight: 0 },
      enterprise: { capacityWeight: 0 },
      edu: { capacityWeight: 0, aliases: ['education'] },
    },
  },
  claude: {
    label: 'Claude',
    unit: 'pro',
    otherPlansWeight: 0,
    furtherWindows: [],
    weekCapsFiveHour: false,
    queriesApartSeconds: 15 * 60,
    refusalsApartMs: REFRESH_MS,
    plans: {
      pro: { capacityWeight: 1 },
      max_5x: { capacityWeight: 5, label: 'Max 5x', aliases: ['max5x'] },
      max_20x: { capacityWeight: 20, label: 'Max 20x', aliases: ['max20x'] },
      team: { capacityWeight: 0 },
      enterprise: { capacityWeight: 0 },
      free: { capacityWeight: 0 },
    },
  },
  xai: {
    label: 'xAI',
    ...oneEach,
    plans: {
      free: { capacityWeight: 1 },
      supergrok: { capacityWeight: 1, label: 'SuperGrok' },
      supergroklite: { capacityWeight: 1, label: 'SuperGrok Lite' },
      supergrokplus: { capacityWeight: 1, label: 'SuperGrok Plus' },
      supergrokheavy: { capacityWeight: 1, label: 'SuperGrok Heavy' },
      xbasic: { capacityWeight: 1, label: 'X Basic' },
      xpremium: { capacityWeight: 1, label: 'X Premium' },
      xpremiumplus: { capacityWeight: 1, label: 'X Premium Plus' },
    },
  },
  kimi: { label: 'Kimi', ...oneEach, plans: {} },
  'kimi-ai': { label: 'Kimi', ...oneEach, plans: {} },
  antigravity: {
    label: 'Antigravity',
    ...oneEach,
    queriesApartSeconds: 15 * 60,
    plans: {
      free: { capacityWeight: 1 },
      g1pro: { capacityWeight: 1, label: 'AI Pro' },
      g1ultra: { capacityWeight: 1, label: 'AI Ultra' },
      g1ultralite: { capacityWeight: 1, label: 'AI Ultra Lite' },
    },
  },
} as const satisfies Readonly<Record<ProviderId, ProviderRow>>

/** The row for a provider without one of its own: nothing is known of its plans. */
const unknownRow: Omit<ProviderRow, 'label'> = { ...oneEach, plans: {} }

/** Every provider with a row. */
export const providerIds: readonly ProviderId[] = Object.keys(providerRows)

/** A provider with a row. */
export type KnownProviderId = keyof typeof providerRows

/** The provider assumed if none is named, as by older scripts and in data stored while there was only one provider. */
export const ASSUMED_PROVIDER: KnownProviderId = 'codex'

/** The row of a provider; undefined if it has none. The name comes from the proxy, so it may be `constructor`. */
export function providerRow(provider: ProviderId): ProviderRow | undefined {
  return isKnownProvider(provider) ? providerRows[provider] : undefined
}

function isKnownProvider(provider: ProviderId): provider is KnownProviderId {
  return Object.hasOwn(providerRows, provider)
}

/** The row of a provider, or the one for providers without a row, whose label is their own name. */
export function providerRowOf(provider: ProviderId): ProviderRow {
  return providerRow(provider) ?? { ...unknownRow, label: provider }
}

/** The name of a provider as shown; its own one, capitalised, if it has no row. */
export function providerLabel(provider: ProviderId): string {
  return providerRow(provider)?.label ?? `${provider.charAt(0).toUpperCase()}${provider.slice(1)}`
}
