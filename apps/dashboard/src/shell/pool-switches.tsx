import { isPageCovered } from '../parts/drawer-panel.tsx'
import { chosenProvider, chosenUpstream, kiosk } from '../state/display-state.ts'
import { allUpstreams, toneOfUpstream } from '../state/fleet.ts'
import { EVERY_PROVIDER } from '../state/live-data.ts'
import {
  allPools,
  answerScope,
  homeProvider,
  isPoolWide,
  providerTitle,
  scopeTitle,
} from '../state/providers.ts'
import { fleetWords, providerWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'

/** Choice between the accounts of all providers and those of one; the name alone if there is nothing to choose; nothing if there is only one. */
export function ProviderSwitch() {
  const pools = allPools.value
  if (pools.length < 2) return null
  // The answer stands below on every view of a wall display.
  if (kiosk.value !== '') return <p class="scope">{answerScope.value}</p>
  if (isPoolWide.value) return <p class="scope">{scopeTitle.value}</p>
  const count = pools.reduce((sum, { accounts }) => sum + accounts, 0)
  return (
    <select
      id="provider"
      inert={isPageCovered.value}
      aria-label={providerWords.provider}
      title={providerWords.provider}
      value={chosenProvider.value}
      onChange={(event) => {
        chosenProvider.value = event.currentTarget.value
      }}
    >
      <option value={EVERY_PROVIDER}>{strings.choice(strings.all, count)}</option>
      {pools.map(({ provider, accounts }) => (
        <option key={provider} value={provider === homeProvider.value ? '' : provider}>
          {strings.choice(providerTitle(provider), accounts)}
        </option>
      ))}
    </select>
  )
}

/** Choice between all proxies and a single one; nothing if only one is watched. */
export function ProxySwitch() {
  const all = allUpstreams.value
  if (all.length < 2) return null
  return (
    <select
      id="proxy"
      aria-label={fleetWords.proxy}
      title={fleetWords.proxy}
      value={chosenUpstream.value}
      onChange={(event) => {
        chosenUpstream.value = event.currentTarget.value
      }}
    >
      <option value="">{fleetWords.all(all.length)}</option>
      {all.map((proxy) => (
        <option key={proxy.name} value={proxy.name}>
          {toneOfUpstream(proxy) === 'good'
            ? proxy.name
            : fleetWords.choice(proxy.name, fleetWords.states[proxy.source])}
        </option>
      ))}
    </select>
  )
}
