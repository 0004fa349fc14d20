import { countText, roundInstants, wholeUnitsText } from '@svc/views/format'
import { tellsOfProxy } from '../parts/answer-line.tsx'
import { CapacityBar } from '../parts/bars.tsx'
import { setter } from '../parts/button.tsx'
import { ToneIcon } from '../parts/icon.tsx'
import { shown } from '../parts/text.tsx'
import { chosenProvider, isNarrow, kiosk } from '../state/display-state.ts'
import { isSilent, shownMs, zone } from '../state/live-data.ts'
import {
  homeProvider,
  pools,
  providerTitle,
  quantityOf,
  type ShownPool,
  shownPool,
  unitText,
} from '../state/providers.ts'
import { usableAmount, usableQuota } from '../state/window-quota.ts'
import { poolsWords as words } from '../words/pools-words.ts'
import { strings } from '../words/strings.ts'
import { unitNames } from '../words/times.ts'
import './pools.css'

/**
 * The providers, each with its quota in its own unit, its next two days on one time axis and its answer. `isBrief` shows the others in one line beside the
 * numbers of one of them. A click shows the accounts of a provider.
 */
export function Pools({ isBrief = false }: { readonly isBrief?: boolean }) {
  return (
    <section class={isBrief ? 'pools brief' : 'pools'} aria-label={words.title}>
      {isBrief ? (
        <ul>
          {pools.value
            .filter((pool) => pool !== shownPool.value)
            .map((pool) => (
              <li key={pool.provider} class={`tone-${toneOf(pool)}`}>
                <ToneIcon tone={toneOf(pool)} />
                <Way pool={pool} />
                <Answer pool={pool} />
              </li>
            ))}
        </ul>
      ) : (
        <ul class="rows">
          {pools.value.map((pool) => (
            <Row key={pool.provider} pool={pool} />
          ))}
          {Number.isFinite(axisEnds().fromMs) && (
            <li class="times" aria-hidden="true">
              <TimeAxis />
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

interface PoolProps {
  readonly pool: ShownPool
}

/** Whether nothing is known of any provider, which the answer above then says for all: the monitor is silent, or the proxy. */
const isUnknown = () => isSilent.value || tellsOfProxy()

const toneOf = ({ tone = 'unknown' }: ShownPool) => (isUnknown() ? 'unknown' : tone)

function Row({ pool }: PoolProps) {
  return (
    <li class={`tone-${toneOf(pool)}`}>
      <ToneIcon tone={toneOf(pool)} />
      <Way pool={pool} />
      <span class={pool.routable === 0 ? 'count none' : 'count'}>
        {words.routable(countText(pool.routable), countText(pool.accounts))}
      </span>
      <Quota pool={pool} />
      <RibbonBar pool={pool} />
      <Answer pool={pool} />
    </li>
  )
}

/** Button that shows the accounts of a pool; on a wall display only its name. */
function Way({ pool: { provider } }: PoolProps) {
  const name = providerTitle(provider)
  if (kiosk.value !== '') return <b>{name}</b>
  return (
    <button
      type="button"
      title={words.show(name)}
      onClick={setter(chosenProvider, provider === homeProvider.value ? '' : provider)}
    >
      {name}
    </button>
  )
}

/** Until when the provider lasts, with the whole sentence as its title. */
function Answer({ pool: { answer } }: PoolProps) {
  if (isUnknown()) return <span class="short">{strings.question}</span>
  return (
    <span class="short" title={shown(answer?.text ?? '')}>
      {answer?.shortText}
    </span>
  )
}

/** Bar and number of the window that runs dry first. */
function Quota({ pool: { windows, unit, routable, window: drawn } }: PoolProps) {
  const window = windows.find(({ id }) => id === drawn) ?? windows[0]
  if (window === undefined || window.trackedUnits === 0)
    return <span class="dim without">{window?.text ?? words.noWindow}</span>
  const { unknownUnits, trackedUnits, usableStaleUnits = 0 } = window
  const { usable, held } = usableQuota(window)
  const { amount, isLowerBound } = usableAmount(window, routable)
  const labels = quantityOf(window, windows).map(({ label }) => label)
  return (
    <>
      <CapacityBar
        isSmall
        unit={unitNames[unit]}
        usable={usable}
        stale={isSilent.value ? usable : usableStaleUnits}
        held={held}
        unknown={unknownUnits}
        tracked={trackedUnits}
        amount={amount}
        atLeast={isLowerBound}
      />
      <span class="amount" title={window.text}>
        {labels.length < windows.length && <span class="dim">{labels.join('/')} </span>}
        <b>{`${isLowerBound ? '≥ ' : ''}${amount}`}</b>{' '}
        {strings.ofUnits(unitText(wholeUnitsText(trackedUnits), unit))}
      </span>
    </>
  )
}

/** The two days ahead: spans in which the quota lasts, may end, has ended, or is not known. */
function RibbonBar({ pool: { ribbon = [] } }: PoolProps) {
  return (
    <svg class="ribbon" role="img" aria-label={ribbonText(ribbon)}>
      {ribbon.map(({ from, to, state }) => (
        <rect
          key={from}
          class={state}
          x={percent(axisShare(Date.parse(from)))}
          width={percent(axisShare(Date.parse(to)) - axisShare(Date.parse(from)))}
          height="100%"
        />
      ))}
    </svg>
  )
}

function ribbonText(ribbon: NonNullable<ShownPool['ribbon']>): string {
  return strings.listOf(
    ribbon.map(({ to, state }) =>
      words.spans[state](zone.value.momentText(Date.parse(to), shownMs.value)),
    ),
  )
}

/** Place of an instant on the time axis that all ribbons share, 0 to 1. */
function axisShare(ms: number): number {
  const { fromMs, toMs } = axisEnds()
  return (ms - fromMs) / (toMs - fromMs)
}

function axisEnds() {
  const ribbon = pools.value[0]?.ribbon ?? []
  return {
    fromMs: Date.parse(ribbon[0]?.from ?? ''),
    toMs: Date.parse(ribbon.at(-1)?.to ?? ''),
  }
}

const HOUR_MS = 3_600_000
/** Smallest distance of a time from the ends of the axis, as a share of it. */
const ROOM = 0.07

/** Now, midnights and noons below the ribbons. */
function TimeAxis() {
  const { fromMs, toMs } = axisEnds()
  const everyMs = (isNarrow.value ? 24 : 12) * HOUR_MS
  const times = roundInstants(zone.value, everyMs, fromMs, toMs).filter(
    (ms) =>
      axisShare(ms) > (isNarrow.value || kiosk.value !== '' ? 4 : 2) * ROOM &&
      axisShare(ms) < 1 - ROOM,
  )
  return (
    <svg height="16">
      <text y="12">{isSilent.value ? zone.value.clockText(fromMs) : strings.now}</text>
      {times.map((ms) => (
        <text key={ms} x={percent(axisShare(ms))} y="12" text-anchor="middle">
          {isMidnight(ms) ? zone.value.dayAndDateText(ms) : zone.value.clockText(ms)}
        </text>
      ))}
    </svg>
  )
}

const isMidnight = (ms: number) => (ms + zone.value.offsetMs(ms)) % (24 * HOUR_MS) === 0
const percent = (share: number) => `${(share * 100).toFixed(2)}%`
