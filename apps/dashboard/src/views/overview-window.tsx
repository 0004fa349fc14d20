import { isWhollyUnknown } from '@svc/core/pool'
import { percentText, roughHours, unitsText, wholeUnitsText } from '@svc/views/format'
import { BarKey, CapacityBar } from '../parts/bars.tsx'
import { setter } from '../parts/button.tsx'
import { ToneIcon } from '../parts/icon.tsx'
import { Changing, Term } from '../parts/text.tsx'
import { isNarrow, kiosk, openParts } from '../state/display-state.ts'
import { calmMs, isSilent, status, zone } from '../state/live-data.ts'
import { isPart, unit, unitName, unitText, windowTitle } from '../state/providers.ts'
import { resetGroups } from '../state/reset-groups.ts'
import { findCapacity, findTrend, usableAmount, usableQuota } from '../state/window-quota.ts'
import { fleetWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText, unitNoun } from '../words/times.ts'
import { LazyWindowChart } from './lazy-parts.ts'

/** Quota left in one window, its next return, and how long it lasts. */
export function Window({ id }: { readonly id: string }) {
  const capacity = findCapacity(id)
  const trend = findTrend(id)
  if (capacity === undefined) return null
  const { unknownUnits, trackedUnits } = capacity
  const { amount, isLowerBound } = shownAmount(capacity)
  const { usable, held } = usableQuota(capacity)
  // While the monitor is silent, everything counts as stale.
  const stale = isSilent.value ? usable : (capacity.usableStaleUnits ?? capacity.staleUnits)
  const parts = {
    usable,
    stale: Math.min(stale, usable),
    held,
    unknown: unknownUnits,
    tracked: trackedUnits,
  }
  return (
    <section class="capacity" aria-labelledby={`title-${id}`}>
      <h2 id={`title-${id}`}>{windowTitle(capacity)}</h2>
      {trackedUnits === 0 ? (
        <p class="big">{capacity.text}</p>
      ) : (
        <>
          <Left capacity={capacity} />
          <CapacityBar {...parts} amount={amount} atLeast={isLowerBound} />
          <BarKey {...parts} />
          <dl class="facts">
            <div>
              <dt>
                <Term id="next">{strings.next}</Term>
              </dt>
              <dd>
                <Next id={id} capacity={capacity} />
              </dd>
            </div>
            {trend !== undefined && (
              <div>
                <dt>
                  <Term id="pace">{strings.pace}</Term>
                </dt>
                <dd>
                  {isPart.value ? (
                    <span class="dim">{fleetWords.paceOfAll}</span>
                  ) : (
                    <Pace runway={trend.runway} />
                  )}
                </dd>
              </div>
            )}
          </dl>
          {!isNarrow.value && <WindowChartPlace id={id} />}
        </>
      )}
    </section>
  )
}

/** Place of the chart of a window, with its name where it stands alone; none while nothing of it is known. */
export function WindowChartPlace({ id }: { readonly id: string }) {
  const capacity = findCapacity(id)
  if (capacity === undefined || isWhollyUnknown(capacity)) return null
  if (findTrend(id) === undefined) return null
  return (
    <div class="flow-place">
      {isNarrow.value && <h2>{windowTitle(capacity)}</h2>}
      <LazyWindowChart id={id} />
    </div>
  )
}

type Capacity = NonNullable<ReturnType<typeof findCapacity>>

const shownAmount = (capacity: Capacity) =>
  usableAmount(capacity, status.value?.summary.routableCount ?? 0)

/** The large number of usable units, with the tone set by the monitor. */
function Left({ capacity }: { readonly capacity: Capacity }) {
  const { trackedUnits, tone } = capacity
  const { percent } = usableQuota(capacity)
  const { amount, isLowerBound } = shownAmount(capacity)
  const number = (
    <b>
      <Changing text={amount} />
    </b>
  )
  return (
    <p class={`big tone-${tone}`}>
      <span>
        {(tone === 'warn' || tone === 'bad') && <ToneIcon tone={tone} />}
        {isLowerBound && `${strings.atLeast} `}
        {kiosk.value === '' ? (
          <button type="button" title={strings.openParts} onClick={setter(openParts, capacity.id)}>
            {number}
          </button>
        ) : (
          number
        )}{' '}
        {strings.ofUnits(wholeUnitsText(trackedUnits))}{' '}
        <UnitTerm of={wholeUnitsText(trackedUnits)} /> {strings.usable}
      </span>
      {percent !== null && <Changing text={percentText(percent)} />}
    </p>
  )
}

/** The unit of the shown quota after its number, with its meaning. */
function UnitTerm({ of }: { readonly of: string }) {
  const id = unit.value === 'mixed' ? 'plus' : unit.value
  return <Term id={id}>{unitNoun(of, id)}</Term>
}

function Next({ id, capacity }: { readonly id: string; readonly capacity: Capacity }) {
  const group = resetGroups(id)[0]
  // The resets of a day or a month are not listed one by one.
  if (group === undefined && capacity.nextRecovery !== null)
    return <>{capacity.nextRecovery.text}</>
  // An account without a reading may have a reset as well.
  if (group === undefined)
    return <>{capacity.unknownUnits > 0 ? strings.noNextYet : strings.noNext}</>
  const { atMs, rows } = group
  const { units, rest } = strings.nextReturn(
    unitText(unitsText(group.units)),
    zone.value.whenText(atMs, calmMs.value),
    countingDurationText((atMs - calmMs.value) / 1000),
  )
  return (
    <span title={rows[0].resetAt ?? undefined}>
      <b>{units}</b>{' '}
      {rows.length === 1 ? rest : strings.listOf([rest, strings.accountCount(rows.length)])}
    </span>
  )
}

type Runway = NonNullable<ReturnType<typeof findTrend>>['runway']

/** Rate of use, and the time that the quota lasts with and without resets. */
function Pace({ runway }: { readonly runway: Runway }) {
  const { burnPerHour, verdict, confidence, secondsWithoutReturns = null, lapsingAccounts } = runway
  if (burnPerHour === null || verdict === 'unknown') return <>{strings.paceUnknown}</>
  const burn = strings.paceBurn(unitsText(burnPerHour), unitName.value)
  const less =
    lapsingAccounts === undefined || isNarrow.value ? '' : strings.paceLapsing(lapsingAccounts)
  const lasts =
    confidence === 'low'
      ? roughText(burn, runway)
      : strings.paceHalves(burn, aloneText(secondsWithoutReturns), withReturns(runway))
  const text = `${lasts}${less}`
  return verdict === 'runs-dry' ? (
    <span class="dry">
      <ToneIcon tone="warn" /> {text}
    </span>
  ) : (
    <span>{text}</span>
  )
}

/** Time that the quota lasts without resets; null if it lasts beyond the forecast. */
function aloneText(seconds: number | null): string | null {
  if (seconds === null) return null
  return seconds === 0 ? strings.paceUsedUp : countingDurationText(seconds)
}

/** A rough forecast in whole hours, because clock times would be too precise. */
function roughText(burn: string, { p25, p75 }: Runway): string {
  if (p25 === null) return strings.paceRoughlySafe(burn)
  const awayMs = (at: string) => Date.parse(at) - calmMs.value
  const [from, to] = roughHours(awayMs(p25), p75 === null ? null : awayMs(p75))
  return strings.paceRough(burn, from, to)
}

/** Text for the time that the quota lasts with its coming resets. */
function withReturns({ verdict, runsDryAt, p25, p75 }: Runway): string {
  if (verdict === 'safe') return strings.paceSafe
  const clock = (at: string) => zone.value.momentText(Date.parse(at), calmMs.value)
  if (verdict === 'tight')
    return p25 === null ? strings.paceTight : strings.paceTightFrom(clock(p25))
  if (runsDryAt === null) return strings.paceTight
  // A narrow screen has a line for it, and the chart shows the band.
  const hasBand = !isNarrow.value && p25 !== null && p75 !== null
  const band = hasBand ? strings.paceBand(clock(p25), clock(p75)) : null
  return strings.paceUntil(clock(runsDryAt), band)
}
