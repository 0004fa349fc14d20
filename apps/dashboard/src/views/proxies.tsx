import { Button, setter } from '../parts/button.tsx'
import { ToneIcon } from '../parts/icon.tsx'
import { chosenUpstream } from '../state/display-state.ts'
import { allUpstreams, toneOfUpstream, type WatchedUpstream } from '../state/fleet.ts'
import { calmMs, health, shownUpstream, wholeHealth } from '../state/live-data.ts'
import { allFiles } from '../state/pool.ts'
import { fleetWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'

/** The web page of a proxy. */
interface ProxyPage {
  /** Name of the proxy; empty if the configuration lists none. */
  readonly upstream: string
  readonly href: string
}

const ACCOUNT_LIST = 'accounts'

/** The web pages of the proxies with files of these accounts. */
export function findProxyPages(accountKeys: readonly string[] = []): readonly ProxyPage[] {
  const keys = new Set(accountKeys)
  const upstreams = new Set(
    allFiles.value
      .filter(({ selector }) => keys.has(selector.accountKey))
      .map(({ upstream = '' }) => upstream),
  )
  return ((wholeHealth.value ?? health.value)?.sources ?? []).flatMap(
    ({ id, upstream = '', pageUrl }) =>
      id?.split('@')[0] === ACCOUNT_LIST && pageUrl !== undefined && upstreams.has(upstream)
        ? [{ upstream, href: pageUrl }]
        : [],
  )
}

/** State of each proxy, with a button to show it alone. Renders nothing if only one proxy is watched. */
export function Proxies() {
  if (allUpstreams.value.length < 2) return null
  return (
    <>
      <h2 id="title-proxies">{fleetWords.proxies}</h2>
      <table class="sources proxies" aria-labelledby="title-proxies">
        <tbody>
          {allUpstreams.value.map((proxy) => (
            <ProxyRow key={proxy.name} proxy={proxy} />
          ))}
        </tbody>
      </table>
    </>
  )
}

function ProxyRow({ proxy }: { readonly proxy: WatchedUpstream }) {
  const { name, source, gatewayOk, sampledAt, accountCount } = proxy
  const isShown = shownUpstream.value === name
  // A list that was never read has no known number of accounts.
  const counts = sampledAt === null && accountCount === 0 ? [] : [countsText(proxy)]
  const facts = gatewayOk ? counts : [...counts, fleetWords.gatewayDown]
  return (
    <tr aria-current={isShown ? 'true' : undefined}>
      <th scope="row">
        <ToneIcon tone={toneOfUpstream(proxy)} />
        {name}
      </th>
      <td>{fleetWords.states[source]}</td>
      <td>
        {facts.length > 0 && <p>{strings.listOf(facts)}</p>}
        <p class="dim small">
          {sampledAt === null
            ? fleetWords.neverRead
            : fleetWords.readAgo(
                countingDurationText((calmMs.value - Date.parse(sampledAt)) / 1000),
              )}
        </p>
      </td>
      <td>
        <Button
          aria-label={strings.reading(fleetWords.only, name)}
          aria-pressed={isShown}
          onClick={setter(chosenUpstream, isShown ? '' : name)}
        >
          {fleetWords.only}
        </Button>
      </td>
    </tr>
  )
}

function countsText({ accountCount, routableCount }: WatchedUpstream): string {
  return accountCount === 0
    ? strings.accountCount(0)
    : strings.counts(routableCount, accountCount - routableCount)
}
