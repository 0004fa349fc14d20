import { computed } from '@preact/signals'
import { health, type PoolAccount, shownUpstream, status, wholeStatus } from './live-data.ts'
import { accountKeyOf, allAccounts } from './pool.ts'

/** Each of several proxies, in the order of the configuration; empty where one is watched. */
export const upstreams = computed(() => (wholeStatus.value ?? status.value)?.tabs.upstreams ?? [])

/** How one of several proxies stands. */
export type WatchedUpstream = (typeof upstreams.value)[number]

/** Whether accounts of several proxies are shown, so that each says where it is. */
export const isMixed = computed(() => upstreams.value.length > 1 && shownUpstream.value === '')

/** How the reading of a proxy is marked. */
export function toneOfUpstream({ source, gatewayOk }: WatchedUpstream): 'good' | 'warn' | 'bad' {
  if (source === 'unavailable' || !gatewayOk) return 'bad'
  return source === 'live' || source === 'demo' ? 'good' : 'warn'
}

/** The files of the same account at other proxies, in the order of their names. */
export function elsewhere(account: PoolAccount): readonly PoolAccount[] {
  if (account.upstream === undefined) return []
  const { accountKey } = account.selector
  return allAccounts.value
    .filter(
      ({ upstream, selector }) =>
        selector.accountKey === accountKey && upstream !== account.upstream,
    )
    .sort((a, b) => (accountKeyOf(a) < accountKeyOf(b) ? -1 : 1))
}

const isOfShown = ({ upstream }: { readonly upstream?: string | undefined }): boolean =>
  upstream === undefined || shownUpstream.value === '' || upstream === shownUpstream.value

/** What Health says of the sources of the proxy that is shown, and of what belongs to none; of all of them while all are shown. */
export const shownSources = computed(() => health.value?.sources.filter(isOfShown) ?? [])

/** The same of what is to be done. */
export const shownActions = computed(() => health.value?.actions.filter(isOfShown) ?? [])
