import type { ClientError, Health } from '@svc/client'
import { mainWindows } from '@svc/core'
import { isUsableUnknown } from '@svc/core/pool'
import { ASSUMED_PROVIDER } from '@svc/core/service'
import {
  countedText,
  countingDurationText,
  unitsText,
  wholeUnitsText,
  type Zone,
} from '@svc/views/format'
import { unitNames } from '@svc/views/messages'
import {
  askedPools,
  type Glance,
  limitingWindow,
  limitText,
  ownWindows,
  poolText,
  usableText,
} from './pool-words.ts'

type Answer = NonNullable<Health['answer']>
type WindowName = keyof NonNullable<Health['capacity']>

const [fiveHour, week] = mainWindows
/** Displayed names of the windows, by their names in the contract. */
const windowLabels: Readonly<Record<WindowName, string>> = { fiveHour: fiveHour.id, week: week.id }
const windowNames = Object.keys(windowLabels) as WindowName[]
const NOT_READY: Answer = { code: 'not_ready', tone: 'unknown', text: '', at: null }

/** Summary of the service's answer. The service names the binding window. `now` is the machine's time. */
export function glanceOf(health: Health, now: number, zone: Zone): Glance {
  const { answer = NOT_READY, recommendations, sampledAt, actionCount } = health
  const { code, tone, at, window = null, nextReturn = null } = answer
  const moment = (instant: string) => zone.momentText(Date.parse(instant), now)
  const dry = at !== null && (code === 'hurry' || code === 'go_short') ? `dry ${moment(at)}` : null
  const units = nextReturn?.units ?? null
  const gain = otherWindow(health, answer) + (units === null ? 'return' : `+${unitsText(units)}`)
  const next = nextReturn && `${gain} ${moment(nextReturn.at)}`
  const age = sampledAt && `${countingDurationText((now - Date.parse(sampledAt)) / 1000)} ago`
  const ranking =
    recommendations &&
    `${recommendations.routableCount} routable · ${recommendations.blockedCount} blocked`
  return {
    tone,
    code,
    line: said([
      subjectOf(health, answer),
      code === 'hurry' && dry,
      next ?? (code === 'wait' && 'no return known'),
      tone === 'good' ? 'ok' : tone,
      age,
    ]).join(' · '),
    details: said([
      ...poolTexts(health),
      next && `next ${next}`,
      ranking,
      dry,
      countedText(actionCount, 'action'),
      age && `read ${age}`,
    ]),
    percent: code === 'wait' ? 0 : percentLeft(health, window),
  }
}

/** `5h ` if the answer is of another window than the one that limits the only provider; else empty. */
function otherWindow(health: Health, { code, window }: Answer): string {
  const only = onlyPool(health)
  if (only === undefined || code === 'wait' || window == null) return ''
  return limitingWindow(only)?.id === windowLabels[window] ? '' : `${windowLabels[window]} `
}

/** Summary for a missing answer, so that a status bar shows the failure of the service. */
export function lostGlance({ code, message }: ClientError): Glance {
  const line = `monitor ${code === 'refused' ? 'refuses' : 'not reachable'} · bad`
  return { tone: 'bad', code, line, details: [message], percent: null }
}

function said(parts: readonly (string | false | null | undefined)[]): string[] {
  return parts.filter((part) => typeof part === 'string')
}

function subjectOf(health: Health, { code, window }: Answer): string {
  const { firstRound, sampledAt, pools = [] } = health
  if (code === 'monitor_silent') return 'monitor silent'
  if (code === 'proxy_down') return 'proxy down'
  if (code === 'wait') return 'no account routable'
  if (code === 'not_ready' && firstRound)
    return `${firstRound.accountsRead} of ${firstRound.accountsToRead} accounts read`
  // Accounts whose vendor reports no quota are never ready.
  if (!isOfCodex(health))
    return (sampledAt && askedPools(health).map(limitText).join(' · ')) || NOT_KNOWN
  const text = code === 'not_ready' ? null : windowText(window ?? 'fiveHour', health)
  return text === null ? NOT_KNOWN : pools.length > 1 ? `Codex ${text}` : text
}

const NOT_KNOWN = 'quota not known yet'

/** Whether the two main windows describe the whole quota, as they do for Codex. A service that names no provider has Codex accounts. */
function isOfCodex({ provider = ASSUMED_PROVIDER }: Health): boolean {
  return provider === ASSUMED_PROVIDER
}

function poolTexts(health: Health): readonly (string | null)[] {
  if (isOfCodex(health)) return windowNames.map((name) => windowText(name, health))
  const only = onlyPool(health)
  return only === undefined
    ? askedPools(health).map(poolText)
    : ownWindows(only).map((window) => usableText(window, only))
}

/** The only pool that the answer covers; undefined for Codex, which has windows of its own, and for several. */
function onlyPool(health: Health) {
  const [first, ...others] = isOfCodex(health) ? [] : askedPools(health)
  return others.length > 0 ? undefined : first
}

/** Percent of the binding window; null if it is unknown or if there are several providers. */
function percentLeft(health: Health, window: WindowName | null): number | null {
  if (isOfCodex(health)) {
    const { usablePercent, percent } = (window !== null && health.capacity?.[window]) || {}
    return usablePercent ?? percent ?? null
  }
  const only = onlyPool(health)
  return (only && limitingWindow(only)?.usablePercent) ?? null
}

/** Text of one window; null if the service does not report its capacity. */
function windowText(name: WindowName, { capacity, recommendations }: Health): string | null {
  const { [name]: window } = capacity ?? {}
  if (window === undefined) return null
  const { usableUnits = 0, trackedUnits, atLeast = false, ...rest } = window
  const { usableStaleUnits = rest.staleUnits } = rest
  const isUnknown = isUsableUnknown({ ...window, usableUnits }, recommendations?.routableCount ?? 1)
  const units = isUnknown
    ? 'unknown'
    : `${atLeast && usableUnits > 0 ? '≥' : ''}${unitsText(usableUnits)}`
  const stale = usableUnits > 0 && usableStaleUnits >= usableUnits ? ' stale' : ''
  return `${windowLabels[name]} ${units} of ${wholeUnitsText(trackedUnits)} ${unitNames.plus}${stale}`
}
