import { computed } from '@preact/signals'
import {
  calmMs,
  elapsedSeconds,
  health,
  type PoolAccount,
  type PoolWindow,
  status,
  wholeStatus,
} from './live-data.ts'

/** Names an account in addresses. Contains no e-mail; two files of one account have different ones. */
export const accountKeyOf = ({
  upstream,
  selector,
}: Pick<PoolAccount, 'upstream' | 'selector'>): string => fileKeyOf({ upstream, ...selector })

/** The same from a row of another table. */
export function fileKeyOf({
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

export const accounts = computed<readonly PoolAccount[]>(
  () => status.value?.tabs.pool.accounts ?? [],
)
/** Those of every proxy, whichever is shown. */
export const allAccounts = computed<readonly PoolAccount[]>(
  () => wholeStatus.value?.tabs.pool.accounts ?? accounts.value,
)
/** What Health lists something to be done about. */
const keysInNeed = computed(
  () => new Set(health.value?.actions.flatMap(({ accountKeys = [] }) => accountKeys)),
)
export const isInNeed = ({ selector }: PoolAccount): boolean =>
  keysInNeed.value.has(selector.accountKey)
/** Of every proxy, as the actions are. */
export const inNeedCount = computed(() => allAccounts.value.filter(isInNeed).length)
export const isRoutable = ({ blockedReasons }: PoolAccount): boolean => blockedReasons.length === 0
export const isDisabled = ({ blockedReasons }: PoolAccount): boolean =>
  blockedReasons.includes('operator_disabled')
export const isStale = ({ windows }: PoolAccount): boolean => windows.some(({ stale }) => stale)
/** Whether all that is stale has been reset since its reading, which may be a new one. */
export const isReadBeforeReset = ({ windows }: PoolAccount): boolean =>
  windows.every(({ stale, rolledOver }) => !stale || rolledOver === true)

/** The instant of a reset, which reads the same wherever it is shown; null where the view of resets does not list it. */
export function resetMsOf(fileKey: string, { id, resetsInSeconds }: ComingReset): number | null {
  const column = status.value?.tabs.resets.columns.find((candidate) => candidate.id === id)
  const row = column?.rows.find((candidate) => fileKeyOf(candidate) === fileKey)
  return row === undefined || row.resetAt === null || row.resetsInSeconds !== resetsInSeconds
    ? null
    : Date.parse(row.resetAt)
}

/** A window and when it resets, as the monitor counted when it made the status. */
type ComingReset = Pick<PoolWindow, 'id' | 'resetsInSeconds'>

/** The instant at which what is listed there is lost. */
export function lossMsOf(row: ReclaimRow): number {
  const ms = resetMsOf(fileKeyOf(row), { id: '5h', resetsInSeconds: row.resetsInSeconds })
  return ms ?? calmMs.value + Math.max(0, row.resetsInSeconds - elapsedSeconds.value) * 1000
}

export type ReclaimRow = NonNullable<typeof status.value>['tabs']['resets']['reclaim'][number]

/** Accounts that may be used, best first. */
export const rankedAccounts = computed(() => accounts.value.filter(isRoutable))

/** What is lost at its reset if nobody uses it. An account that counts nothing loses nothing. */
export const reclaimRows = computed(
  () => status.value?.tabs.resets.reclaim.filter(({ units }) => units > 0) ?? [],
)

const reclaimByKey = computed(() => new Map(reclaimRows.value.map((row) => [fileKeyOf(row), row])))

/** What of an account expires soon; undefined where nothing does. */
export const reclaimOf = (account: PoolAccount) => reclaimByKey.value.get(accountKeyOf(account))
export const expiresSoon = (account: PoolAccount): boolean => reclaimOf(account) !== undefined

/** How an account is marked: the tone of its status, or `wait` and `off` for what is neither good nor bad. */
export const toneOf = ({ status: { sign, tone } }: PoolAccount): string => sign ?? tone

/** Codes of how what is paid for stands; `unknown` where the login names no end. */
export const subscriptionStateOf = ({ paidUntil, subscription }: PoolAccount) =>
  subscription?.state ?? (paidUntil === undefined ? 'unknown' : 'running')

/** Until when it is paid for; null where nobody knows, as for one that went on past the end its login names. */
export function paidUntilMsOf(account: PoolAccount): number | null {
  const { paidUntil } = account
  return paidUntil === undefined || subscriptionStateOf(account) === 'renewed'
    ? null
    : Date.parse(paidUntil)
}

/** What a blocked account waits for longest, and until when; null while it can be used. */
export function blockOf(
  account: PoolAccount,
): { readonly text: string; readonly until: string | null } | null {
  const { until } = account.status
  const blocks = itemOf(account)?.blocked ?? []
  const last = blocks.find((block) => block.until === until) ?? blocks[0]
  return last === undefined ? null : { text: last.text, until }
}

/** A window of the account that the pool does not count, where nothing is known of those it does; undefined for none. */
export function uncountedWindowOf({ windows }: PoolAccount): PoolWindow | undefined {
  const counted = new Set(status.value?.tabs.pool.windows.map(({ id }) => id))
  const isRead = ({ state }: PoolWindow) => state === 'known' || state === 'exhausted'
  return windows.some((window) => counted.has(window.id) && isRead(window))
    ? undefined
    : windows.find((window) => !counted.has(window.id) && isRead(window))
}

/** How far apart readings of an account are planned; null where none are. */
export const sampleSecondsOf = ({ sampleEverySeconds }: PoolAccount): number | null =>
  sampleEverySeconds === undefined
    ? (status.value?.tabs.pool.sampleEverySeconds ?? null)
    : sampleEverySeconds

export function windowOf({ windows }: PoolAccount, id: string): PoolWindow {
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

/** A 5h window that gives nothing back before the week does. */
export const isHeldByWeek = (account: PoolAccount, id: string): boolean =>
  id === '5h' &&
  account.blockedReasons.includes('quota_exhausted_week') &&
  windowOf(account, '5h').state === 'known'

/** A file name is of one file at one proxy. */
const fileOf = ({ upstream = '', selector }: Pick<PoolAccount, 'upstream' | 'selector'>) =>
  `${upstream}/${selector.authName}`

const itemByFile = computed(
  () => new Map(status.value?.recommendations.items.map((item) => [fileOf(item), item])),
)

/** The account in the ranking; undefined where it is not listed. */
export const itemOf = (account: PoolAccount) => itemByFile.value.get(fileOf(account))

/** What Health asks to be done about an account that can be used. */
export const actionsAbout = ({ selector }: PoolAccount) =>
  health.value?.actions.filter(
    ({ code, accountKeys }) =>
      code === 'failing_account' && accountKeys?.includes(selector.accountKey) === true,
  ) ?? []

/** Tokens of every account in the last 24 h. */
export const poolTokens = computed(() =>
  accounts.value.reduce((sum, { usage }) => sum + (usage?.tokens ?? 0), 0),
)
