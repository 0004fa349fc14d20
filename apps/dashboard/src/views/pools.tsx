import { countText, percentText, unitsText, wholeUnitsText } from '@svc/views/format'
import { Heads } from '../parts/heads.tsx'
import { chosenProvider } from '../state/display-state.ts'
import {
  homeProvider,
  isOfAll,
  type ProviderPool,
  pools,
  providerName,
  shownPool,
  unitText,
} from '../state/providers.ts'
import { poolsWords as words } from '../words/pools-words.ts'
import { strings } from '../words/strings.ts'
import './pools.css'

/** Table of the pool of each provider, with a way to each. `isBrief` keeps percents alone, beside the numbers of one pool. */
export function Pools({ isBrief = false }: { readonly isBrief?: boolean }) {
  return (
    <section class={isBrief ? 'pools brief' : 'pools'} aria-labelledby="title-pools">
      <h2 id="title-pools">{words.title}</h2>
      <table aria-labelledby="title-pools">
        <thead class={isBrief ? 'sr' : undefined}>
          <Heads words={isBrief ? words.heads.slice(0, 3) : words.heads} />
        </thead>
        <tbody>
          {pools.value.map((pool) => (
            <PoolRow key={pool.provider} pool={pool} isBrief={isBrief} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function PoolRow({ pool, isBrief }: { readonly pool: ProviderPool; readonly isBrief: boolean }) {
  const { provider, accounts, routable, windows } = pool
  const name = providerName(provider)
  const isShown = !isOfAll.value && shownPool.value === pool
  return (
    <tr aria-current={isShown ? 'true' : undefined}>
      <th scope="row">
        <button
          type="button"
          aria-pressed={isShown}
          title={words.show(name)}
          onClick={() => {
            chosenProvider.value = provider === homeProvider.value ? '' : provider
          }}
        >
          {name}
        </button>
      </th>
      <td class={routable === 0 ? 'none' : undefined}>
        {isBrief
          ? words.routable(countText(routable), countText(accounts))
          : strings.counts(routable, accounts - routable)}
      </td>
      <td>
        {windows.length === 0 ? (
          <span class="dim">{words.nothing}</span>
        ) : (
          <ul>
            {windows.map((window) => (
              <li key={window.id}>
                <Left window={window} pool={pool} isBrief={isBrief} />
              </li>
            ))}
          </ul>
        )}
      </td>
      {!isBrief && <td>{nextText(windows)}</td>}
    </tr>
  )
}

type Window = ProviderPool['windows'][number]

/** What a pool has left in a window. */
function Left({
  window: { label, knownUnits, trackedUnits, unknownUnits, percent },
  pool: { unit },
  isBrief,
}: {
  readonly window: Window
  readonly pool: ProviderPool
  readonly isBrief: boolean
}) {
  if (trackedUnits === 0)
    return (
      <>
        {label} <span class="dim">{strings.nothingTracked}</span>
      </>
    )
  const share = percent === null ? strings.question : percentText(percent)
  return (
    <>
      {label}{' '}
      {!isBrief && (
        <>
          <span>
            {words.of(unitsText(knownUnits), unitText(wholeUnitsText(trackedUnits), unit))}
          </span>{' '}
        </>
      )}
      <b>{share}</b>
      {!isBrief && unknownUnits > 0 && (
        <span class="dim"> {words.unknown(unitsText(unknownUnits))}</span>
      )}
    </>
  )
}

/** The soonest reset that returns quota to any of the windows. */
function nextText(windows: readonly Window[]): string {
  const coming = windows.flatMap(({ nextRecovery }) => nextRecovery ?? [])
  const [next] = coming.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  return next?.text ?? strings.noNext
}
