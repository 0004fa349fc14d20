/** The vendor of an account, by the proxy's name for it. The collector decides which ones are watched. */
export type ProviderId = string

export interface PlanRow {
  /** Plus units per full window. 0 = untracked: routable, but no part of the pool's capacity. See docs/rules.md#plans-and-capacity-weight. */
  readonly capacityWeight: number
  /** Other names of the plan used by the vendor, normalised. */
  readonly aliases?: readonly string[]
}

interface ProviderRow {
  /** Name as shown, before the word `account`. */
  readonly label: string
  /** Plans with their own weight or alias, by normalised name. The same name may have another weight at another provider. */
  readonly plans: Readonly<Record<string, PlanRow>>
}

/** Every provider that can be watched, with its plans. A new plan is one row here. */
export const providerRows = {
  codex: {
    label: 'Codex',
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
} as const satisfies Readonly<Record<ProviderId, ProviderRow>>

/** Every provider with a row. */
export const providerIds: readonly ProviderId[] = Object.keys(providerRows)

/** A provider with a row. */
export type KnownProviderId = keyof typeof providerRows

/** The provider assumed where none is named: by older scripts, and in data stored while there was only one provider. */
export const ASSUMED_PROVIDER: KnownProviderId = 'codex'

/** The row of a provider; undefined if it has none. The name comes from the proxy, so it may be `constructor`. */
export function providerRow(provider: ProviderId): ProviderRow | undefined {
  return isKnownProvider(provider) ? providerRows[provider] : undefined
}

function isKnownProvider(provider: ProviderId): provider is KnownProviderId {
  return Object.hasOwn(providerRows, provider)
}

/** The name of a provider as shown. */
export function providerLabel(provider: KnownProviderId): string {
  return providerRows[provider].label
}

/** The label all these providers share; null for several, or one without a row. Without providers: the label of all that can be watched. */
export function commonProviderLabel(providers: Iterable<ProviderId>): string | null {
  const present = new Set(providers)
  const [first, ...others] = present.size === 0 ? Object.keys(providerRows) : present
  return first === undefined || others.length > 0 ? null : (providerRow(first)?.label ?? null)
}
