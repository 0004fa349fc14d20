import { computed } from '@preact/signals'
import { type PoolAccount, type PoolWindow, status } from './live-data.ts'

/** What stands for an account in addresses: no e-mail, and one for each of two files of an account. */
export function accountKeyOf({ selector }: Pick<PoolAccount, 'selector'>): string {
  return selector.authIndex === '' ? selector.accountKey : selector.authIndex
}

export const accounts = computed<readonly PoolAccount[]>(() => status.value?.tabs.pool.accounts ?? [])
export const isRoutable = ({ blockedReasons }: PoolAccount): boolean => blockedReasons.length === 0
export const isDisabled = ({ blockedReasons }: PoolAccount): boolean => blockedReasons.includes('operator_disabled')
export const isStale = ({ windows }: PoolAccount): boolean => windows.some(({ stale }) => stale)

/** Accounts that may be used, best first. */
export const rankedAccounts = computed(() => accounts.value.filter(isRoutable))

const reclaimKeys = computed(() => new Set(status.value?.tabs.resets.reclaim.map(({ authIndex, account }) => `${authIndex} ${account}`)))
export const expiresSoon = ({ selector, title }: PoolAccount): boolean => reclaimKeys.value.has(`${selector.authIndex} ${title}`)

/** Tone of an account's status; what is switched off on purpose has its own. */
export const toneOf = (account: PoolAccount): string => (isDisabled(account) && account.status.tone !== 'bad' ? 'off' : account.status.tone)

export function windowOf({ windows }: PoolAccount, id: string): PoolWindow {
  return windows.find((window) => window.id === id) ?? { id, state: 'absent', percent: null, resetsInSeconds: null, stale: false }
}

/** A 5h window that gives nothing back before the week does. */
export const isHeldByWeek = (account: PoolAccount, id: string): boolean =>
  id === '5h' && windowOf(account, 'week').state === 'exhausted' && windowOf(account, '5h').state === 'known'

const weightByAuthName = computed(
  () => new Map(status.value?.recommendations.items.map(({ selector, capacityWeight }) => [selector.authName, capacityWeight])),
)

/** Plus units of a full window, from the ranking; null where it is not listed. */
export const weightOf = ({ selector }: PoolAccount): number | null => weightByAuthName.value.get(selector.authName) ?? null

export const scoreComponents = ['capacity', 'health', 'plan', 'load', 'reclaim'] as const
export type ScoreComponent = (typeof scoreComponents)[number]

/** Why each component is what it is. There is one reason for each that is not 0, in their order. */
export function reasonsByComponent({ scoreComponents: points, scoreReasons }: PoolAccount): ReadonlyMap<ScoreComponent, string> {
  if (points === undefined) return new Map()
  const moved = scoreComponents.filter((component) => points[component] > 0)
  return new Map(
    moved.flatMap((component, index) => (scoreReasons[index] === undefined ? [] : [[component, scoreReasons[index]] as const])),
  )
}

/** Tokens of every account in the last 24 h. */
export const poolTokens = computed(() => accounts.value.reduce((sum, { usage }) => sum + (usage?.tokens ?? 0), 0))
