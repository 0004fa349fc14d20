import { computed } from '@preact/signals'
import {
  calmMs,
  elapsedSeconds,
  health,
  type PoolAccount,
  type PoolWindow,
  shownProvider,
  status,
  wholeStatus,
} from './live-data.ts'
import { pools, providerOf } from './providers.ts'
import { allResetRows } from './reset-groups.ts'
import { route } from './route.ts'

/** Identifies an account in addresses. Contains no e-mail; two files of one account have different keys. */
export const accountKeyOf = ({
  upstream,
  selector,
}: Pick<PoolAccount, 'upstream' | 'selector'>): string => rowKeyOf({ upstream, ...selector })

/** Key of the file that a row of any table is about. */
export function rowKeyOf({
  upstream,
  authIndex,
  accountKey = '',
}: {
  readonly upstream?: string | undefined
  readonly authIndex: string
  readonly accountKey?: string | undefined
}): string {
  const key = authIndex === '' ? accountKey : authIndex
  // Two proxies may give their files the same index.
  return upstream === undefined ? key : `${upstream}~${key}`
}

/** Every shown file, best first. */
export const files = computed<readonly PoolAccount[]>(() => status.value?.tabs.pool.accounts ?? [])
/** Files of all proxies, whichever proxy is shown. Files of other providers than the home provider are included only while they are shown. */
export const allFiles = computed<readonly PoolAccount[]>(() =>
  shownProvider.value === ''
    ? (wholeStatus.value?.tabs.pool.accounts ?? files.value)
    : [...files.value, ...(wholeStatus.value?.tabs.pool.accounts ?? [])],
)
/** Shown accounts. An account at several proxies is represented by its files at the proxy of its best file, as in the monitor's sums. */
export const shownAccounts = computed<readonly PoolAccount[]>(() => {
  const upstreamByKey = new Map<string, string | undefined>()
  return files.value.filter(({ upstream, selector: { accountKey } }) => {
    if (!upstreamByKey.has(accountKey)) upstreamByKey.set(accountKey, upstream)
    return upstreamByKey.get(accountKey) === upstream
  })
})
const shownFiles = computed(() => new Set(shownAccounts.value.map(accountKeyOf)))
/** Keys of accounts with a health action. */
const keysInNeed = computed(
  () => new Set(health.value?.actions.flatMap(({ accountKeys = [] }) => accountKeys)),
)
export const isInNeed = ({ selector }: PoolAccount): boolean =>
  keysInNeed.value.has(selector.accountKey)
/** Number of accounts with a health action, of any provider. */
export const inNeedCount = computed(() => keysInNeed.value.size)
export const isRoutable = ({ blockedReasons }: PoolAccount): boolean => blockedReasons.length === 0
export const isDisabled = ({ blockedReasons }: PoolAccount): boolean =>
  blockedReasons.includes('operator_disabled')
export const hasStaleWindow = ({ windows }: PoolAccount): boolean =>
  windows.some(({ stale }) => stale)
/** Whether every stale window was reset after its reading, which itself may be recent. */
export const isReadBeforeReset = ({ windows }: PoolAccount): boolean =>
  windows.every(({ stale, rolledOver }) => !stale || rolledOver === true)

/** The rows without additional files of the same account. Rows without a key are kept. */
const withoutTwins = <Row extends Parameters<typeof rowKeyOf>[0]>(
  rows: readonly Row[],
): readonly Row[] =>
  rows.filter(
    (row) =>
      (row.authIndex === '' && row.accountKey === undefined) || shownFiles.value.has(rowKeyOf(row)),
  )

/** The resets of a window, one per shown account. */
export const listResetRows = (windowId: string) => withoutTwins(allResetRows(windowId))

/** Instant of a reset, taken from the list of resets so that it reads the same everywhere; null if it is not listed. */
export function findResetMs(fileKey: string, { id, resetsInSeconds }: ComingReset): number | null {
  const row = allResetRows(id).find((candidate) => rowKeyOf(candidate) === fileKey)
  return row?.resetAt == null || row.resetsInSeconds !== resetsInSeconds
    ? null
    : Date.parse(row.resetAt)
}

/** A window and the seconds to its reset, counted from when the monitor made the status. */
type ComingReset = Pick<PoolWindow, 'id' | 'resetsInSeconds'>

/** Instant at which the row's quota expires. */
export function expiryMs(row: ReclaimRow): number {
  const ms = findResetMs(rowKeyOf(row), { id: '5h', resetsInSeconds: row.resetsInSeconds })
  return ms ?? calmMs.value + Math.max(0, row.resetsInSeconds - elapsedSeconds.value) * 1000
}

export type ReclaimRow = NonNullable<typeof status.value>['tabs']['resets']['reclaim'][number]

/** Accounts that may be used, best first. */
export const rankedAccounts = computed(() => shownAccounts.value.filter(isRoutable))

/** Ranks among the usable accounts of each provider, by file, and by account for its files at other proxies. */
const ranks = computed(() => {
  const byFile = new Map<string, number>()
  const byAccount = new Map<string, number>()
  const counts = new Map<string, number>()
  for (const account of rankedAccounts.value) {
    const { accountKey } = account.selector
    const rank = (counts.get(providerOf(account)) ?? 0) + 1
    counts.set(providerOf(account), rank)
    byFile.set(accountKeyOf(account), rank)
    if (!byAccount.has(accountKey)) byAccount.set(accountKey, rank)
  }
  return { byFile, byAccount }
})

/** Rank of an account among those of its provider; null if it is not routable. */
export function rankInProvider(account: PoolAccount): number | null {
  if (!isRoutable(account)) return null
  const { byFile, byAccount } = ranks.value
  return byFile.get(accountKeyOf(account)) ?? byAccount.get(account.selector.accountKey) ?? null
}

/** Quota that expires at its reset if it is not used. Rows with 0 units are left out. */
export const reclaimRows = computed(() =>
  withoutTwins(status.value?.tabs.resets.reclaim.filter(({ units }) => units > 0) ?? []),
)

const reclaimByKey = computed(() => new Map(reclaimRows.value.map((row) => [rowKeyOf(row), row])))

/** Row of an account's quota that expires soon; undefined if there is none. */
export const findReclaim = (account: PoolAccount) => reclaimByKey.value.get(accountKeyOf(account))
export const expiresSoon = (account: PoolAccount): boolean => findReclaim(account) !== undefined

/** Mark of an account: the tone of its status, or `wait` and `off` for states that are neither good nor bad. */
export const accountTone = ({ status: { sign, tone } }: PoolAccount): string => sign ?? tone

/** State of an account's subscription; `unknown` if the login contains no end. */
export const subscriptionState = ({ paidUntil, subscription }: PoolAccount) =>
  subscription?.state ?? (paidUntil === undefined ? 'unknown' : 'running')

/** End of the subscription; null if unknown, as for a subscription that continues beyond the end in its login. */
export function subscriptionEndMs(account: PoolAccount): number | null {
  const { paidUntil } = account
  return paidUntil === undefined || subscriptionState(account) === 'renewed'
    ? null
    : Date.parse(paidUntil)
}

/** Whether the owner of any account may spend a reset. */
export const holdsBankedResets = computed(() =>
  shownAccounts.value.some(({ bankedResets }) => bankedResets !== undefined),
)

/** A known window outside the pool's count, for an account without a known counted window; undefined otherwise. */
export function findUncountedWindow(account: PoolAccount): PoolWindow | undefined {
  const { windows } = account
  const counted = countedWindowIds(account)
  const isRead = ({ state }: PoolWindow) => state === 'known' || state === 'exhausted'
  return windows.some((window) => counted.has(window.id) && isRead(window))
    ? undefined
    : windows.find((window) => !counted.has(window.id) && isRead(window))
}

/** Ids of the counted windows of each provider's pool. */
const countedIds = computed(() => {
  const both = new Set(status.value?.tabs.pool.windows.map(({ id }) => id))
  return new Map(
    pools.value.map(({ provider, unit, windows }) => [
      provider,
      unit === 'plus' ? both : new Set(windows.map(({ id }) => id)),
    ]),
  )
})

const NONE: ReadonlySet<string> = new Set()

/** Ids of the counted windows of the pool of the account's provider. */
export const countedWindowIds = (account: PoolAccount): ReadonlySet<string> =>
  countedIds.value.get(providerOf(account)) ?? NONE

/** Planned seconds between readings of an account; null if none are planned. */
export const readingPeriodSeconds = ({ sampleEverySeconds }: PoolAccount): number | null =>
  sampleEverySeconds === undefined
    ? (status.value?.tabs.pool.sampleEverySeconds ?? null)
    : sampleEverySeconds

export function windowOrAbsent({ windows }: PoolAccount, id: string): PoolWindow {
  return (
    windows.find((window) => window.id === id) ?? {
      id,
      state: 'absent',
      percent: null,
      resetsInSeconds: null,
      stale: false,
    }
  )
}

/** Whether a 5h window returns nothing before the week resets. */
export const isHeldByWeek = (account: PoolAccount, id: string): boolean =>
  id === '5h' &&
  account.blockedReasons.includes('quota_exhausted_week') &&
  windowOrAbsent(account, '5h').state === 'known'

/** Key of a file, with its proxy, because its name is unique only within a proxy. */
const fileOf = ({ upstream = '', selector }: Pick<PoolAccount, 'upstream' | 'selector'>) =>
  `${upstream}/${selector.authName}`

const itemByFile = computed(
  () => new Map(status.value?.recommendations.items.map((item) => [fileOf(item), item])),
)

/** Item of the account in the ranking; undefined if it is not listed. */
export const rankingItem = (account: PoolAccount) => itemByFile.value.get(fileOf(account))

/** Health actions about failures of a usable account. */
export const actionsAbout = ({ selector }: PoolAccount) =>
  health.value?.actions.filter(
    ({ code, accountKeys }) =>
      code === 'failing_account' && accountKeys?.includes(selector.accountKey) === true,
  ) ?? []

/** Tokens of every account in the last 24 h. */
export const poolTokens = computed(() =>
  shownAccounts.value.reduce((sum, { usage }) => sum + (usage?.tokens ?? 0), 0),
)

/** Whether the address names the account, by the key of its file or of the account itself. */
export const isInAddress = (account: PoolAccount): boolean =>
  [accountKeyOf(account), account.selector.accountKey].includes(route.value.account ?? '')

/** The account whose details are open; null if none are open, or if the account is not listed. */
export const openAccount = computed<PoolAccount | null>(() => files.value.find(isInAddress) ?? null)
