import { computed } from '@preact/signals'
import { ASSUMED_PROVIDER } from '@svc/core/service'
import { providerWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'
import { unitNames, unitNoun } from '../words/times.ts'
import {
  EVERY_PROVIDER,
  type PoolAccount,
  shownProvider,
  shownUpstream,
  status,
  wholeStatus,
} from './live-data.ts'
import { route, shownView } from './route.ts'

/** The pool of one provider; pools are counted separately. */
export type ShownPool = (typeof pools.value)[number]

const whole = computed(() => (wholeStatus.value ?? status.value)?.recommendations)

/** The pool of every provider that has an account at any proxy, in display order. */
export const allPools = computed(() => whole.value?.pools ?? [])
/** Pools with an account at a shown proxy. */
export const pools = computed(() => status.value?.recommendations.pools ?? [])

/** The home provider, which is shown unless another one is chosen. */
export const homeProvider = computed(() => whole.value?.provider ?? ASSUMED_PROVIDER)

/** Whether the accounts of all providers are shown, so that each shows its provider. Their units cannot be added, and ranks are per provider. */
export const isOfAll = computed(() => shownProvider.value === EVERY_PROVIDER)

/** Whether only the accounts of one proxy are shown; their past and their forecast are unknown. */
export const isPart = computed(() => shownUpstream.value !== '')

export const providerOf = ({
  provider = ASSUMED_PROVIDER,
}: Pick<PoolAccount, 'provider'>): string => provider

/** The pool of a provider at the shown proxies; undefined if it has no account there. */
export const findPool = (of: string): ShownPool | undefined =>
  pools.value.find(({ provider }) => provider === of)

/** The shown pool; undefined while all pools are shown. */
export const shownPool = computed(() =>
  findPool(status.value?.recommendations.provider ?? ASSUMED_PROVIDER),
)

/** Whether the open view is about all providers, whichever is chosen. */
export const isPoolWide = computed(() => shownView(route.value) === 'health')

/** Name of the accounts that the answer is about: of one provider or of all; empty if there is only one provider. */
export const answerScope = computed(() => {
  if (allPools.value.length < 2) return ''
  return isOfAll.value
    ? providerWords.all
    : providerTitle(shownPool.value?.provider ?? homeProvider.value)
})

/** Name of the accounts that the view shows, as of the answer. */
export const scopeTitle = computed(() =>
  answerScope.value !== '' && isPoolWide.value ? providerWords.all : answerScope.value,
)

/** Display name of a provider. */
export function providerTitle(of: string): string {
  const label = allPools.value.find(({ provider }) => provider === of)?.label ?? of
  const isShared = allPools.value.some((pool) => pool.label === label && pool.provider < of)
  return isShared ? providerWords.named(label, of) : label
}

/** Counted windows of the shown pool, shortest first, one of those that are one quantity; empty while several pools are shown. */
export const countedWindows = computed(() => {
  const windows = status.value?.tabs.pool.windows ?? []
  if (isOfAll.value) return []
  const pool = shownPool.value
  // Of Codex both windows are shown: one that no plan has is counted by the other.
  if (pool === undefined || pool.unit === 'plus') return windows
  return pool.windows.flatMap(({ id, sharedBy = [id] }) =>
    sharedBy[0] === id ? windows.filter((window) => window.id === id) : [],
  )
})

type NamedWindow = Pick<ShownPool['windows'][number], 'id' | 'label' | 'sharedBy'>

/** The windows of a pool that are one quantity with this window. */
export function quantityOf(window: NamedWindow, windows: readonly NamedWindow[]) {
  const shared = windows.filter(({ sharedBy }) => sharedBy?.includes(window.id))
  return shared.length === 0 ? [window] : shared
}

/** Name of a counted window; of the only quantity of a pool, in several windows, only that it is quota. */
export function windowTitle(window: NamedWindow): string {
  const { windows = [] } = shownPool.value ?? {}
  const own = quantityOf(window, windows)
  if (own.length > 1 && own.length === windows.length) return strings.quota
  return own.map(({ id, label }) => strings.windows[id] ?? label).join(' / ')
}

/** Unit of the shown quota. */
export const unit = computed(() => shownPool.value?.unit ?? 'plus')
export const unitName = computed(() => unitNames[unit.value])

/** The provider whose usage Stats counts; empty for all of them, or if there is only one. */
export const usageProvider = computed(() =>
  allPools.value.length < 2 || isOfAll.value ? '' : shownProvider.value || homeProvider.value,
)

/** Unit of a provider's pool. */
export const unitOf = (of: string) =>
  allPools.value.find(({ provider }) => provider === of)?.unit ?? 'plus'

/** Units with their name: `0.2 Plus`. */
export const unitText = (units: string, of: keyof typeof unitNames = unit.value): string =>
  `${units} ${unitNoun(units, of)}`
