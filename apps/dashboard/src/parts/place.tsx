import type { HealthItem } from '@svc/views'
import { elsewhere, listPlaces } from '../state/fleet.ts'
import type { PoolAccount } from '../state/live-data.ts'
import { accountKeyOf, accountTone, isRoutable } from '../state/pool.ts'
import { allPools, isOfAll, isPoolWide, providerTitle, shownPool } from '../state/providers.ts'
import { accountHref } from '../state/route.ts'
import { fleetWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'
import { ToneIcon } from './icon.tsx'

/** Proxies that list an account, with a mark at each proxy where it is blocked while usable elsewhere. Renders nothing while one proxy is shown. */
export function AccountPlace({ account }: { readonly account: PoolAccount }) {
  const places = listPlaces(account)
  return places.length === 0 ? null : (
    <span class="place">
      <PlaceNames places={places} />
    </span>
  )
}

/** Separator between two items of a list, in the page's language. */
const BETWEEN = strings.listOf(['', ''])

/** Names of an account's proxies, for a table cell. */
export function PlaceNames({ places }: { readonly places: readonly PoolAccount[] }) {
  const isUsable = places.some(isRoutable)
  return (
    <>
      {places.map((place, index) => (
        <span key={accountKeyOf(place)}>
          {isUsable && !isRoutable(place) && <ToneIcon tone={accountTone(place)} />}
          {`${place.upstream}${index < places.length - 1 ? BETWEEN : ''}`}
        </span>
      ))}
    </>
  )
}

/** The account's proxy, and links to the account at other proxies with its state there. */
export function Places({ account }: { readonly account: PoolAccount }) {
  const others = elsewhere(account)
  if (account.upstream === undefined) return null
  return (
    <p class="places">
      {fleetWords.at} <b>{account.upstream}</b>
      {others.length > 0 && (
        <>
          {strings.gap}
          <span class="dim">{fleetWords.alsoAt}</span>
          {others.map((other) => (
            <a key={accountKeyOf(other)} href={accountHref(accountKeyOf(other))}>
              <ToneIcon tone={accountTone(other)} />
              {other.upstream}
            </a>
          ))}
        </>
      )}
    </p>
  )
}

/** Name of an account's provider beside its title. Renders nothing while one provider is shown, unless `always`. */
export function ProviderMark({
  provider,
  always = false,
}: {
  readonly provider: string
  readonly always?: boolean
}) {
  return always || isOfAll.value ? <span class="provider">{providerTitle(provider)}</span> : null
}

/** Names of the providers that an action concerns, unless it is only the one that the view is about. */
export function ActionProviders({ action: { affected = [] } }: { readonly action: HealthItem }) {
  if (allPools.value.length < 2) return null
  const isOfShown = affected.every(({ provider }) => provider === shownPool.value?.provider)
  if (isOfShown && !isPoolWide.value) return null
  return (
    <>
      {affected.map(({ provider }) => [
        ' ',
        <ProviderMark key={provider} provider={provider} always />,
      ])}
    </>
  )
}
