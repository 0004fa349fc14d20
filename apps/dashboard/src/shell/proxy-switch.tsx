import { chosenUpstream } from '../state/display-state.ts'
import { toneOfUpstream, upstreams } from '../state/fleet.ts'
import { fleetWords } from '../words/fleet-words.ts'

/** Choice between all proxies and a single one; nothing if only one is watched. */
export function ProxySwitch() {
  const all = upstreams.value
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
