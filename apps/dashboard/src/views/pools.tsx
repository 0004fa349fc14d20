import { countText, percentText, unitsText, wholeUnitsText } from '@svc/views/format'
import { Heads } from '../parts/heads.tsx'
import { chosenProvider, kiosk } from '../state/display-state.ts'
import {
  homeProvider,
  isOfAll,
  pools,
  providerTitle,
  type ShownPool,
  shownPool,
  unitText,
} from '../state/providers.ts'
import { poolsWords as words } from '../words/pools-words.ts'
import { strings } from '../words/strings.ts'
import './pools.css'

/**
 * The pools of all providers, each with a button to show it: a table in place of the numbers of one pool, or with `isBrief` a strip of percentages
 * beside these numbers.
 */
export function Pools({ isBrief = false }: { readonly isBrief?: boolean }) {
  return (
    <section class={isBrief ? 'pools brief' : 'pools'} aria-labelledby="title-pools">
      <h2 id="title-pools" class={isBrief ? 'sr' : undefined}>
        {words.title}
      </h2>
      {isBrief ? <Strip /> : <Table />}
    </section>
  )
}

function Strip() {
  return (
    <ul class="strip">
      {pools.value.map((pool) => (
        <li key={pool.provider} aria-current={isShown(pool) ? 'true' : undefined}>
          <p>
            <Way pool={pool} />{' '}
            <span class={pool.routable === 0 ? 'none' : undefined}>
              {words.routable(countText(pool.routable), countText(pool.accounts))}
            </span>
          </p>
          <p class="dim">{briefText(pool)}</p>
        </li>
      ))}
    </ul>
  )
}

const isShown = (pool: ShownPool) => !isOfAll.value && shownPool.value === pool
const isTracked = ({ trackedUnits }: Window) => trackedUnits > 0

/** Button that shows the accounts of a pool; on a wall display only its name. */
function Way({ pool: { provider }, pool }: { readonly pool: ShownPool }) {
  const name = providerTitle(provider)
  if (kiosk.value !== '') return <b>{name}</b>
  return (
    <button
      type="button"
      aria-pressed={isShown(pool)}
      title={words.show(name)}
      onClick={() => {
        chosenProvider.value = provider === homeProvider.value ? '' : provider
      }}
    >
      {name}
    </button>
  )
}

/** Text with the percentage of each window. */
function briefText({ windows }: ShownPool): string {
  if (windows.length === 0) return words.noWindowBrief
  if (!windows.some(isTracked)) return strings.nothingTracked
  return strings.listOf(windows.map((window) => words.window(window.label, shareText(window))))
}

const shareText = ({ percent }: Window) =>
  percent === null ? strings.question : percentText(percent)

function Table() {
  return (
    <table aria-labelledby="title-pools">
      <thead>
        <Heads words={words.heads} />
      </thead>
      <tbody>
        {pools.value.map((pool) => (
          <tr key={pool.provider}>
            <th scope="row">
              <Way pool={pool} />
            </th>
            <td class={pool.routable === 0 ? 'none' : undefined}>
              {strings.counts(pool.routable, pool.accounts - pool.routable)}
            </td>
            <td>
              <Windows pool={pool} />
            </td>
            <td>{nextText(pool.windows)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type Window = ShownPool['windows'][number]

function Windows({ pool: { windows, unit } }: { readonly pool: ShownPool }) {
  if (windows.length === 0) return <span class="dim">{words.noWindow}</span>
  if (!windows.some(isTracked)) return <span class="dim">{strings.nothingTracked}</span>
  return (
    <ul>
      {windows.map((window) => (
        <li key={window.id}>
          <Left window={window} unit={unit} />
        </li>
      ))}
    </ul>
  )
}

/** Units left of a pool's total in a window, with their percentage. */
function Left({ window, unit }: { readonly window: Window; readonly unit: ShownPool['unit'] }) {
  const { label, knownUnits, trackedUnits, unknownUnits } = window
  const isUnread = unknownUnits >= trackedUnits
  const known = isUnread ? strings.question : unitsText(knownUnits)
  return (
    <>
      <span class="dim">{label}</span>{' '}
      {words.of(known, unitText(wholeUnitsText(trackedUnits), unit))}{' '}
      {!isUnread && <b>{shareText(window)}</b>}
      {!isUnread && unknownUnits > 0 && (
        <span class="dim"> {words.unknown(wholeUnitsText(unknownUnits))}</span>
      )}
    </>
  )
}

/** The soonest reset that returns quota to any of the windows. */
function nextText(windows: readonly Window[]): string {
  const coming = windows.flatMap(({ nextRecovery }) => nextRecovery ?? [])
  const [next] = coming.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  if (next !== undefined) return next.text
  if (!windows.some(isTracked)) return ''
  return windows.some(({ unknownUnits }) => unknownUnits > 0) ? strings.noNextYet : strings.noNext
}
