import { computed } from '@preact/signals'
import { type PoolAccount, shownUpstream, status, wholeStatus } from './live-data.ts'
import { allFiles } from './pool.ts'

/** The watched proxies, in the order of the configuration; empty if only one is watched. */
export const allUpstreams = computed(
  () => (wholeStatus.value ?? status.value)?.tabs.upstreams ?? [],
)

export type WatchedUpstream = (typeof allUpstreams.value)[number]

/** Whether accounts of several proxies are shown, so that each names its proxy. */
export const isMixed = computed(() => allUpstreams.value.length > 1 && shownUpstream.value === '')

export function toneOfUpstream({ source, gatewayOk }: WatchedUpstream): 'good' | 'warn' | 'bad' {
  if (source === 'unavailable' || !gatewayOk) return 'bad'
  return source === 'live' || source === 'demo' ? 'good' : 'warn'
}

const byPlace = (a: PoolAccount, b: PoolAccount) =>
  (a.upstream ?? '') < (b.upstream ?? '') ? -1 : 1

/** The files of each account, in the order of their proxies. */
const filesByKey = computed(() => {
  const byKey = new Map<string, PoolAccount[]>()
  for (const file of allFiles.value) {
    const files = byKey.get(file.selector.accountKey)
    if (files === undefined) byKey.set(file.selector.accountKey, [file])
    else files.push(file)
  }
  for (const files of byKey.values()) files.sort(byPlace)
  return byKey
})

/** The files of the same account at other proxies, in the order of their names. */
export const elsewhere = ({ upstream, selector }: PoolAccount): readonly PoolAccount[] =>
  (filesByKey.value.get(selector.accountKey) ?? []).filter((file) => file.upstream !== upstream)

/** The account itself, then its files at other proxies; empty while only one proxy is shown. */
export const listPlaces = (account: PoolAccount): readonly PoolAccount[] =>
  isMixed.value ? [account, ...elsewhere(account)] : []
