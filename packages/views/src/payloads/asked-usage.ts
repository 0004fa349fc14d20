import { type EpochMs, epochMs, MINUTE_MS, parseInstant } from '@svc/core'
import {
  failureStatuses,
  type UsageDimension,
  type UsageFilter,
  usageDimensions,
  usageResults,
} from '@svc/core/usage'
import type { Zone } from '../format/format.ts'
import { idShownAs } from './csv.ts'

/** Names of the parameters that limit usage to some requests. */
export const usageFilters = [...usageDimensions, 'result', 'status'] as const

/** Names of the parameters that limit usage to some requests and to a time. */
export const questionParameters = [...usageFilters, 'from', 'to'] as const

/** Value of `provider` that means all providers. */
export const EVERY_PROVIDER = 'all'

/** Time that is asked for; `to` is null until now. */
export interface AskedSpan {
  readonly from: EpochMs
  readonly to: EpochMs | null
}

/** A parameter with an invalid value, and what it takes, or examples of it. */
export interface InvalidParameter {
  readonly invalid: { readonly parameter: string; readonly allowed: string[] }
}

/** Warnings about filters that name an id that no request has. */
export function unknownIdWarnings(dimensions: readonly UsageDimension[]): readonly string[] {
  return dimensions.map(
    (dimension) => `${dimension}: an id that no request has; it matches nothing`,
  )
}

/** Parameters of a URL. */
export interface GivenParameters {
  get(name: string): string | null
  getAll(name: string): readonly string[]
}

/** Requests and time that usage is asked for; `between` is null without `from`. */
interface QuestionPart {
  readonly filter: UsageFilter
  readonly between: AskedSpan | null
}

/** Reads the filters and the time of a question. Ids are those that charts show; a day is one of the display timezone. */
export function questionPartOf(
  parameters: GivenParameters,
  zone: Pick<Zone, 'offsetMs'>,
): QuestionPart | InvalidParameter {
  const filter: { -readonly [Name in keyof UsageFilter]: UsageFilter[Name] } = {}
  for (const dimension of usageDimensions) {
    const ids = valuesOf(parameters, dimension)
    if (ids.length === 0 || (dimension === 'provider' && ids.includes(EVERY_PROVIDER))) continue
    filter[dimension] = [...new Set(ids.map(idShownAs))].sort()
  }
  const [given, ...others] = valuesOf(parameters, 'result')
  const result = usageResults.find((id) => id === given)
  if (given !== undefined && (result === undefined || others.length > 0))
    return invalid('result', usageResults)
  if (result !== undefined) filter.result = result
  const asked = valuesOf(parameters, 'status')
  const status = failureStatuses.filter((id) => asked.includes(id))
  if (status.length < new Set(asked).size) return invalid('status', failureStatuses)
  if (status.length > 0) filter.status = status
  const [from, to] = (['from', 'to'] as const).map((name) => {
    const text = parameters.get(name) || null
    return text === null ? null : (minuteOf(text, zone) ?? invalid(name, TIMES))
  })
  if (typeof from === 'object' && from !== null) return from
  if (typeof to === 'object' && to !== null) return to
  if (from == null) return to == null ? { filter, between: null } : invalid('from', TIMES)
  return { filter, between: { from, to: to ?? null } }
}

const TIMES = ['2026-10-14T08:00:00+02:00', '2026-10-14']

function invalid(parameter: string, allowed: readonly string[]): InvalidParameter {
  return { invalid: { parameter, allowed: [...allowed] } }
}

/** Values of a parameter, separated by commas unless it is repeated, so that ids with commas can be asked for. */
function valuesOf(parameters: GivenParameters, name: (typeof questionParameters)[number]) {
  const all = parameters.getAll(name)
  const isList = all.length === 1 || name === 'provider' || name === 'status'
  const values = isList ? all.flatMap((list) => list.split(',')) : all
  return values.map((value) => value.trim()).filter(Boolean)
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/

/** The start of a minute, or of a day in the zone; null if the text is neither. */
function minuteOf(text: string, { offsetMs }: Pick<Zone, 'offsetMs'>): EpochMs | null {
  if (DAY.test(text)) {
    const midnight = parseInstant(`${text}T00:00:00Z`)
    if (midnight === null) return null
    // The offset at midnight of UTC may be that of the day before.
    return epochMs(midnight - offsetMs(midnight - offsetMs(midnight)))
  }
  const at = parseInstant(text)
  return at === null ? null : epochMs(Math.floor(at / MINUTE_MS) * MINUTE_MS)
}
