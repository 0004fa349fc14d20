import { signal } from '@preact/signals'
import type { StatsSeries } from '@svc/views'

/** Groups of usage that can also be filtered by, in the order of the controls. */
export const dimensions = ['account', 'client', 'model'] as const
type Dimension = (typeof dimensions)[number]

export function isDimension(name: string): name is Dimension {
  return dimensions.some((each) => each === name)
}

const results = ['ok', 'failed'] as const
const statuses = ['auth', 'limit', 'vendor', 'other'] as const
/** Outcomes of requests that usage can be filtered by. */
export const outcomes = [...results, ...statuses] as const

/** Names of the filters, in the order of the address; the same as in the API. */
export const filterNames = [...dimensions, 'result', 'status'] as const
export type FilterName = (typeof filterNames)[number]

export interface StatsQuestion {
  /** Values by filter, each in order; a filter without values is absent. */
  readonly filter: { readonly [Name in FilterName]?: readonly string[] }
  /** Start of a chosen time: an instant, or a day in the display timezone; empty for the chosen range. */
  readonly from: string
  /** Excluded end of a chosen time; empty for now. */
  readonly to: string
}

const NOTHING: StatsQuestion = { filter: {}, from: '', to: '' }

/** Filters and chosen time of the usage; only the address keeps them. */
export const question = signal(NOTHING)

/** The last received usage chart; null before the first answer. */
export const series = signal<StatsSeries | null>(null)

/** Replaces the values of a filter. */
export function setFilter(name: FilterName, values: readonly string[]): void {
  const { [name]: _, ...others } = question.value.filter
  const sorted = [...new Set(values)].sort()
  question.value = {
    ...question.value,
    filter: sorted.length === 0 ? others : { ...others, [name]: sorted },
  }
}

export function setSpan(from: string, to: string): void {
  question.value = { ...question.value, from, to }
}

/** Parses the values of a filter as the API does: separated by commas, unless the parameter is repeated. Undefined if one is invalid. */
export function parseFilter(
  name: FilterName,
  texts: readonly string[],
): readonly string[] | undefined {
  const isList = texts.length === 1 || name === 'status'
  const values = (isList ? texts.flatMap((text) => text.split(',')) : texts)
    .map((value) => value.trim())
    .filter(Boolean)
  const allowed: readonly string[] | null =
    name === 'result' ? results : name === 'status' ? statuses : null
  if (allowed !== null && !values.every((value) => allowed.includes(value))) return undefined
  return name === 'result' && new Set(values).size > 1 ? undefined : values
}

/** Texts of a filter's parameter: one list, or each value by itself if a value has a comma. */
export function filterTexts(values: readonly string[]): readonly string[] {
  if (values.length === 0) return []
  if (!values.some((value) => value.includes(','))) return [values.join()]
  return values.length === 1 ? [...values, ...values] : values
}

export const DAY = /^\d{4}-\d\d-\d\d$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/** Parses a start or end of a chosen time; undefined if it is invalid. */
export function parseTime(text: string): string | undefined {
  const isTime = text === '' || DAY.test(text) || INSTANT.test(text)
  const isReal = new Date(text.slice(0, 10)).toJSON()?.startsWith(text.slice(0, 10)) ?? false
  return isTime && (text === '' || (isReal && !Number.isNaN(Date.parse(text)))) ? text : undefined
}
