import type { EpochMs, QuotaSample, WindowId, WindowReading } from '@svc/core'
import { FIVE_HOUR_SECONDS, WEEK_SECONDS } from '@svc/core'
import { displayText, instantFrom, isRecord, numberFrom, textFrom } from '../../wire/wire-fields.ts'
import {
  EMPTY_SAMPLE,
  percentLeft,
  slugOf,
  unknownKeysIn,
  unknownNamesOf,
  windowOfLength,
} from '../contract/quota-answer.ts'

/** A window without its figures. */
type WindowKind = Pick<WindowReading, 'id' | 'periodSeconds' | 'label' | 'models'>

const session: WindowKind = windowOfLength(FIVE_HOUR_SECONDS)
const weekly: WindowKind = windowOfLength(WEEK_SECONDS)

/** The model that headers and older answers call by other names. See docs/upstream.md#claude-quota. */
const PREMIUM_MODEL = 'Fable'
const weeklyOfModel = (name: string) => ({ ...weeklyOf(name), models: [name] })
const premiumWeekly = weeklyOfModel(PREMIUM_MODEL)

/** A weekly window of a narrower scope, from the vendor's name of the scope. */
function weeklyOf(name: string): WindowKind {
  const slug = slugOf(name)
  const scope = slug.split('_').includes(slugOf(PREMIUM_MODEL)) ? 'premium' : slug
  return { ...weekly, id: `${scope}:${weekly.id}`, label: name }
}

/** Windows with a key of their own; all other keys are ignored. */
const FLAT_WINDOWS: Readonly<Record<string, WindowKind>> = {
  five_hour: session,
  seven_day: weekly,
  seven_day_opus: weeklyOfModel('Opus'),
  seven_day_sonnet: weeklyOfModel('Sonnet'),
  seven_day_oauth_apps: weeklyOf('OAuth apps'),
  seven_day_cowork: weeklyOf('Cowork'),
  seven_day_routines: weeklyOf('Routines'),
  iguana_necktie: premiumWeekly,
}
/** The window of a limit in headers, such as `5h`, `7d_opus` or `7d_oi`: its length and the name of its scope. */
export function windowOfLimit(limit: string): WindowKind {
  const [length = '', ...words] = limit.split('_')
  const window = windowOfLength(
    Number.parseInt(length, 10) * (length.endsWith('h') ? 3600 : 86_400),
  )
  if (words.length === 0) return window
  const name = words.join(' ')
  const scoped =
    limit === '7d_oi'
      ? premiumWeekly
      : (FLAT_WINDOWS[`seven_day_${words.join('_')}`] ??
        weeklyOf(`${name.charAt(0).toUpperCase()}${name.slice(1)}`))
  return { ...scoped, ...window, id: scoped.id.replace(weekly.id, window.id) }
}

/** Paid use beyond the plan. Calendar months vary in length, so the period is unknown. */
const EXTRA_USAGE = { id: 'extra_usage:month', periodSeconds: null, label: 'Extra usage' }
/** Further keys that say nothing about quota. */
const IGNORED_KEYS = ['spend', 'seven_day_omelette', 'tangelo']
const DOCUMENT_KEYS = ['five_hour', 'seven_day', 'limits', 'extra_usage']
const LIMITS_MAX = 64
const NAME_LENGTH_MAX = 48

/** Reads an `oauth/usage` document; null for anything else. `limits` is preferred, and the flat keys fill its gaps. */
export function claudeQuotaSampleOf(wire: unknown, sampledAt: EpochMs): QuotaSample | null {
  if (!isRecord(wire) || !DOCUMENT_KEYS.some((key) => wire[key] !== undefined)) return null
  const listed: readonly unknown[] = Array.isArray(wire.limits)
    ? wire.limits.slice(0, LIMITS_MAX)
    : []
  const limits = [
    ...listed.flatMap(listedLimit),
    ...Object.entries(FLAT_WINDOWS).flatMap(([key, window]) => flatLimit(window, wire[key])),
    ...extraUsageIn(wire.extra_usage),
  ]
  const readings = new Map<WindowId, WindowReading>()
  for (const { window, percent } of limits) {
    if (window === null || percent === null || readings.has(window.id)) continue
    // The half that has the figure may lack the reset.
    const { resetAt = null } =
      limits.find((one) => one.window?.id === window.id && one.resetAt !== null) ?? {}
    readings.set(window.id, { ...window, percent, resetAt })
  }

  const isUnread = (main: WindowKind) =>
    !readings.has(main.id) &&
    limits.some(({ window, isGiven }) => isGiven && (window === null || window === main))
  const unreadableWindowCount = [session, weekly].filter(isUnread).length
  const reportsNone = [...readings.keys()].every((id) => id === EXTRA_USAGE.id)
  if (reportsNone && unreadableWindowCount > 0) return null
  return {
    ...EMPTY_SAMPLE,
    sampledAt,
    windows: [...readings.values()],
    unreadableWindowCount,
    ...(reportsNone ? { reportsNone } : {}),
    ...unknownNamesOf([
      ...unknownKeysIn(wire, KNOWN_KEYS),
      ...listed
        .flatMap((limit) => (isRecord(limit) ? (textFrom(limit.kind) ?? []) : []))
        .filter((kind) => !KNOWN_KINDS.has(kind)),
    ]),
  }
}

const KNOWN_KEYS = new Set([...Object.keys(FLAT_WINDOWS), ...DOCUMENT_KEYS, ...IGNORED_KEYS])

const KNOWN_KINDS = new Set(['session', 'weekly_all', 'weekly_scoped'])

function listedLimit(wire: unknown) {
  const { kind, scope, percent, resets_at } = isRecord(wire) ? wire : { percent: wire }
  const of = (window: WindowKind | null) => limitOf(window, percent, resets_at)
  if (kind === 'session') return of(session)
  if (kind === 'weekly_all') return of(weekly)
  // An unknown kind without a scope may be a main window that was renamed.
  if (kind !== 'weekly_scoped') return isRecord(scope) ? [] : of(null)
  const model = isRecord(scope) && isRecord(scope.model) ? scope.model.display_name : null
  const name = displayText(textFrom(model) ?? '', NAME_LENGTH_MAX)
  // The week of all models has an entry of its own.
  return /[a-z0-9]/i.test(name) && !/^all models$/i.test(name) ? of(weeklyOfModel(name)) : []
}

function flatLimit(window: WindowKind, wire: unknown) {
  if (isRecord(wire)) return limitOf(window, wire.utilization, wire.resets_at)
  // A bare number need not be what is used.
  return limitOf(window, wire === null || wire === undefined ? null : {}, null)
}

/** Reads the paid use, which often has a limit but no used share. */
function extraUsageIn(wire: unknown) {
  if (!isRecord(wire) || wire.is_enabled !== true) return []
  const [used, limit] = [numberFrom(wire.used_credits), numberFrom(wire.monthly_limit)]
  const share = used === null || limit === null || limit <= 0 ? null : (used / limit) * 100
  return limitOf(EXTRA_USAGE, wire.utilization ?? share, wire.resets_at)
}

/** One limit. `window` is null if unknown; `percent` is null if the used share is unreadable or missing, and `isGiven` tells which. */
function limitOf(window: WindowKind | null, used: unknown, resetsAt: unknown) {
  const isGiven = used !== null && used !== undefined
  const percent = percentLeft(numberFrom(used))
  return [{ window, percent, isGiven, resetAt: instantFrom(resetsAt) }]
}
