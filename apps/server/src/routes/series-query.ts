import {
  isBucketOf,
  type UsageDimension,
  type UsageGroup,
  usageBucketIds,
  usageDimensions,
  usageGroups,
  usageMetrics,
  usageModes,
  usageRangeIds,
} from '@svc/core/usage'
import type { Refusal, SeriesRequest } from '@svc/monitor'
import {
  questionParameters,
  questionPartOf,
  SERIES_TOP_MAX,
  SERIES_TOP_MIN,
  seriesDefaults,
  type Wording,
} from '@svc/views'
import { invalidParameter, listOf, unknownParameters } from './account-query.ts'

const NAMES: ReadonlySet<string> = new Set<string>([
  'range',
  'bucket',
  'metric',
  'group',
  'top',
  'smooth',
  'mode',
  'compare',
  'facets',
  'format',
  ...questionParameters,
])

const OFF: ReadonlySet<string> = new Set(['0', 'false', 'off', 'no'])
const ON: ReadonlySet<string> = new Set(['1', 'true', 'on', 'yes'])
const NOUNS = { smooth: 'smoothing', compare: 'comparing' } as const

/**
 * Reads the parameters of a chart. An invalid value of a parameter without a default is refused; any other falls back to its default, and `warnings`
 * names it.
 */
export function seriesRequestOf(
  parameters: URLSearchParams,
  zone: Pick<Wording, 'offsetMs'>,
): SeriesRequest | Refusal {
  const part = questionPartOf(parameters, zone)
  if ('invalid' in part) return invalidParameter(part)
  const { filter, between } = part
  const named = listOf(parameters, 'facets').filter(Boolean)
  const facets = usageDimensions.filter((id) => named.includes(id))
  if (facets.length < new Set(named).size)
    return invalidParameter({ invalid: { parameter: 'facets', allowed: [...usageDimensions] } })
  const warnings: string[] = []
  const given = (name: string) => {
    const value = parameters.get(name)
    return value === null || value === '' ? null : value
  }
  const oneOf = <Choice extends string>(
    name: string,
    choices: readonly Choice[],
    fallback: Choice,
  ): Choice => {
    const value = given(name)
    const choice = choices.find((candidate) => candidate === value)
    if (value !== null && choice === undefined)
      warnings.push(`${name}: not one of ${choices.join(', ')}; ${fallback} is shown`)
    return choice ?? fallback
  }
  const range = between === null ? oneOf('range', usageRangeIds, seriesDefaults.range) : 'custom'
  const asked = oneOf('bucket', usageBucketIds, seriesDefaults.bucket)
  const pair = pairIn(given('group'))
  const group = pair?.group ?? oneOf('group', usageGroups, seriesDefaults.group)
  const bucket = isBucketOf(asked, { range, group }) ? asked : seriesDefaults.bucket
  if (bucket !== asked)
    warnings.push(`bucket: ${range} by ${group} has no buckets of ${asked}; ${bucket} is shown`)
  const query = {
    range,
    bucket,
    metric: oneOf('metric', usageMetrics, seriesDefaults.metric),
    group,
    top: topOf(given('top'), warnings),
    smooth: switchOf('smooth', given('smooth'), warnings),
    mode: oneOf('mode', usageModes, seriesDefaults.mode),
    compare: switchOf('compare', given('compare'), warnings),
    ...(pair === null ? {} : { second: pair.second }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
    ...(facets.length === 0 ? {} : { facets }),
  }
  const format = oneOf('format', ['json', 'csv'], 'json')
  return {
    query,
    between,
    format,
    warnings: [...warnings, ...unknownParameters(parameters, NAMES)],
  }
}

/** Two different dimensions, separated by a comma; null for anything else. */
function pairIn(
  value: string | null,
): { readonly group: UsageGroup; readonly second: UsageDimension } | null {
  const [group, second, ...others] = (value ?? '')
    .split(',')
    .map((name) => usageDimensions.find((id) => id === name.trim()))
  const isPair = group !== undefined && second !== undefined && group !== second
  return isPair && others.length === 0 ? { group, second } : null
}

function topOf(value: string | null, warnings: string[]): number {
  if (value === null) return seriesDefaults.top
  if (!/^[+-]?\d+$/.test(value)) {
    warnings.push(`top: not a whole number; ${seriesDefaults.top} is shown`)
    return seriesDefaults.top
  }
  const top = Math.min(SERIES_TOP_MAX, Math.max(SERIES_TOP_MIN, Number(value)))
  if (top !== Number(value))
    warnings.push(`top: outside ${SERIES_TOP_MIN}..${SERIES_TOP_MAX}; ${top} is shown`)
  return top
}

function switchOf(name: 'smooth' | 'compare', value: string | null, warnings: string[]): boolean {
  const fallback = seriesDefaults[name]
  if (value === null) return fallback
  if (OFF.has(value.toLowerCase())) return false
  if (ON.has(value.toLowerCase())) return true
  warnings.push(`${name}: neither on nor off; ${NOUNS[name]} stays ${fallback ? 'on' : 'off'}`)
  return fallback
}
