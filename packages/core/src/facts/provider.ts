import { MINUTE_MS } from './time.ts'
import type { WindowId } from './window.ts'

/** The proxy's name for the vendor of an account; may have no row here. */
export type ProviderId = string

export interface PlanRow {
  /**
   * Size of a full window in the provider's units. 0 = untracked: routable, but not part of the pool's capacity. See
   * docs/rules.md#plans-and-capacity-weight.
   */
  readonly capacityWeight: number
  /** Display name; the capitalised plan name if omitted. */
  readonly label?: string
  /** The vendor's other names for the plan, normalised. */
  readonly aliases?: readonly string[]
}

/**
 * Unit of a provider's capacity: full windows of the named plan, or accounts if the vendor publishes no plan sizes. Units of different providers are
 * never added up.
 */
export type CapacityUnit = 'plus' | 'pro' | 'accounts'

interface ProviderRow {
  /** Display name, used before the word `account`. */
  readonly label: string
  readonly unit: CapacityUnit
  /** Plans with their own weight or alias, by normalised name. A plan of the same name may have a different weight at another provider. */
  readonly plans: Readonly<Record<string, PlanRow>>
  /** Weight of every plan without a row, including an unknown plan. */
  readonly otherPlansWeight: number
  /** The account's own windows, other than 5h and week, that count in the pool's capacity; shortest first. */
  readonly furtherWindows: readonly WindowId[]
  /** Whether the ratio between a percent of the week and of 5h is known, so that a nearly used week caps 5h. */
  readonly weekCapsFiveHour: boolean
  /** Least number of seconds between two direct queries of one account; 0 if only the schedule decides. See docs/rules.md#asking-politely. */
  readonly queriesApartSeconds: number
  /** Least time, in milliseconds, between two refused queries that prove a login lost. 0 if an account list read in between is enough. */
  readonly refusalsApartMs: number
}

/** Time the proxy may take to refresh an expired token. Until then a valid login may be refused. */
const REFRESH_MS = 15 * MINUTE_MS

/** A provider whose vendor publishes no plan sizes, so that each account counts 1. */
const oneEach = {
  unit: 'accounts',
  otherPlansWeight: 1,
  furtherWindows: ['day', 'month'],
  weekCapsFiveHour: false,
  queriesApartSeconds: 10 * 60,
  refusalsApartMs: REFRESH_MS,
} as const

/** Every provider with rules of its own and its plans, in display order. A new plan needs one row here. */
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

/** The row used for a provider without its own. Its plans are unknown. */
const unknownRow: Omit<ProviderRow, 'label'> = { ...oneEach, plans: {} }

/** Every provider with a row. */
export const providerIds: readonly ProviderId[] = Object.keys(providerRows)

export type KnownProviderId = keyof typeof providerRows

/** The provider assumed if none is stated, as in older scripts and in data stored when there was only one provider. */
export const ASSUMED_PROVIDER: KnownProviderId = 'codex'

/** The row of a provider; undefined if it has none. The name comes from the proxy, so it may be a property of every object, such as `constructor`. */
export function providerRow(provider: ProviderId): ProviderRow | undefined {
  return isKnownProvider(provider) ? providerRows[provider] : undefined
}

function isKnownProvider(provider: ProviderId): provider is KnownProviderId {
  return Object.hasOwn(providerRows, provider)
}

/** The row of a provider. A provider without one gets the default row, with its own name as the label. */
export function providerRowOf(provider: ProviderId): ProviderRow {
  return providerRow(provider) ?? { ...unknownRow, label: provider }
}

/** Display name of a provider; its capitalised name if it has no row. */
export function providerLabel(provider: ProviderId): string {
  return providerRow(provider)?.label ?? `${provider.charAt(0).toUpperCase()}${provider.slice(1)}`
}
