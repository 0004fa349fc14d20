import { type EpochMs, plusMs, type QuotaSample, type WindowReading, windowIdOf } from '@svc/core'
import { instantFrom, numberFrom } from '../../wire/wire-fields.ts'
import { headerTextsOf } from '../contract/header-texts.ts'
import { percentLeft } from '../contract/percent-left.ts'

/** `x-codex-`, then a group of models unless the limit is the account's own, then slot and field of the window. */
const WINDOW_HEADER =
  /^x-codex-(?:([a-z0-9]{1,40})-)?(primary|secondary)-(used-percent|window-minutes|reset-at|reset-after-seconds)$/
const PLAN_HEADER = 'x-codex-plan-type'
const REACHED_HEADER = 'x-codex-rate-limit-reached-type'
const PLAN_LENGTH_MAX = 64
const PERIOD_MINUTES_MAX = 400 * 24 * 60

/** The quota in the vendor's headers, or null if they have none. All other headers are dropped. See docs/upstream.md#usage-records. */
export function windowsFromHeaders(headers: unknown, sampledAt: EpochMs): QuotaSample | null {
  const windows = new Map<string, Map<string, string>>()
  let plan: string | null = null
  let limitReached = false
  for (const [header, value] of headerTextsOf(headers)) {
    if (header === PLAN_HEADER) plan = value.slice(0, PLAN_LENGTH_MAX)
    if (header === REACHED_HEADER) limitReached = value.trim() !== ''
    const [, group = '', slot = '', field = ''] = WINDOW_HEADER.exec(header) ?? []
    if (field === '') continue
    const window = windows.get(`${group} ${slot}`) ?? new Map<string, string>()
    windows.set(`${group} ${slot}`, window.set(field, value))
  }
  const readings = [...windows].flatMap(([groupAndSlot, fields]) => {
    const reading = readingOf(groupAndSlot.split(' ')[0] ?? '', fields, sampledAt)
    return reading === null ? [] : [reading]
  })
  if (readings.length === 0) return null
  return {
    origin: 'headers',
    sampledAt,
    plan,
    windows: readings,
    unreadableWindowCount: 0,
    limitReached,
    spendReached: null,
  }
}

/** Reads one window. Its id follows from its length; a window of a group of models has the same id as in the vendor's quota answer. */
function readingOf(
  group: string,
  fields: ReadonlyMap<string, string>,
  sampledAt: EpochMs,
): WindowReading | null {
  const percent = percentLeft(numberFrom(fields.get('used-percent')))
  const minutes = numberFrom(fields.get('window-minutes'))
  if (percent === null || minutes === null || minutes < 1 || minutes > PERIOD_MINUTES_MAX)
    return null
  const kind = windowIdOf(minutes * 60)
  const afterSeconds = numberFrom(fields.get('reset-after-seconds'))
  const resetAt =
    instantFrom(fields.get('reset-at')) ??
    (afterSeconds === null || afterSeconds < 0 || afterSeconds > minutes * 60
      ? null
      : plusMs(sampledAt, afterSeconds * 1000))
  return {
    id: group === '' ? kind : `extra:codex_${group}:${kind}`,
    periodSeconds: minutes * 60,
    percent,
    resetAt,
  }
}
