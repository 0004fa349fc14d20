import { computed, signal } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import { askRegularly, fetchAnswer, Refused } from './ask-regularly.ts'
import { bucketOfSpan, timeMs } from './chosen-time.ts'
import { STATS_DEFAULTS, type StatsControls, statsControls, zoom } from './display-state.ts'
import { serverMs, status } from './live-data.ts'
import { allFiles, files } from './pool.ts'
import { usageProvider } from './providers.ts'
import { dropWithSwitch } from './switched-filters.ts'
import {
  dimensions,
  type FilterName,
  filterNames,
  filterTexts,
  question,
  type StatsQuestion,
  series,
  setFilter,
} from './usage-question.ts'

/** Metrics of a usage chart, in the order and groups of the control. */
export const metricFamilies = [
  ['tokens', 'requests', 'cost'],
  ['input', 'cached', 'output', 'cache_share'],
  ['latency_p50', 'latency_p95', 'first_token_p50', 'first_token_p95'],
  ['failed', 'failed_auth', 'failed_limit', 'failed_vendor'],
] as const satisfies readonly (readonly string[])[]

const [, tokens, times, failures] = metricFamilies

/** Metrics that explain a chosen one: the causes of failures, the times of requests, or else the kinds of tokens. */
export function relatedMetrics(metric: string): readonly string[] {
  const isOf = (family: readonly string[]) => family.includes(metric)
  if (isOf(failures)) return failures.slice(1)
  return isOf(times) ? times : tokens
}

/** Metrics of a family that the monitor offers: cost only if there are prices. */
export function offeredMetrics(family: readonly string[]): readonly string[] {
  const offered = series.value?.options?.metric.map(({ id }) => id as string)
  return family.filter((id) => id !== 'cost' || offered?.includes(id))
}

/** Whether a metric adds up, so that its lines can be stacked. */
export function hasAreas(metric: string): boolean {
  return metric !== 'cache_share' && !(times as readonly string[]).includes(metric)
}

export const seriesFailed = signal(false)
/** Reason why nothing answers what is asked for; null if something does. */
export const seriesRefused = signal<SeriesRefusal | null>(null)

/** Error of a question that only deleted or too many single requests could answer, or whose time is none. */
interface SeriesRefusal {
  readonly status: 'rows_gone' | 'too_many_requests' | 'invalid_span'
  /** Start of the longest time that is answered; null or absent if there is none. */
  readonly longestFrom?: string | null
}

/** Whether the monitor stores no usage, so that there is nothing to choose. */
export const isWithoutHistory = computed(
  () =>
    series.value?.available === false &&
    series.value.range.earliest === null &&
    status.value?.tabs.usage.available !== true,
)

const HOUR_MS = 3_600_000
/** Range that fits a history of a few hours; null for a longer history. */
const firstRange = computed(() => {
  const { earliest, end } = series.value?.range ?? { earliest: null, end: null }
  if (earliest === null || end === null) return null
  const keptMs = Date.parse(end) - Date.parse(earliest)
  if (keptMs > 6 * HOUR_MS) return null
  return keptMs > HOUR_MS ? '6h' : '1h'
})

const untouched = statsControls.peek()

/** The controls used for the chart. Until the user makes a choice, the range is one that is not mostly empty. */
export const shownControls = computed(() => {
  const controls = statsControls.value
  const isUntouched = controls === untouched && controls.range === STATS_DEFAULTS.range
  return isUntouched && firstRange.value !== null
    ? { ...controls, range: firstRange.value }
    : controls
})

const REFRESH_MS = 30_000
/** Maximum number of charts kept for display while the service is unavailable. */
const KEPT_MAX = 12
const kept = new Map<string, StatsSeries>()

/** Requests this chart now, and regularly while the page is visible; the returned function ends it. */
export function followSeries(controls: StatsControls): () => void {
  const query = seriesQuery(controls)
  const known = kept.get(query)
  if (known !== undefined) {
    series.value = known
    seriesRefused.value = null
  }
  return askRegularly(
    (stop) => loadSeries(query, stop),
    REFRESH_MS,
    (error) => {
      seriesRefused.value = error instanceof Refused ? (error.refusal as SeriesRefusal) : null
      seriesFailed.value = seriesRefused.value === null
    },
  )
}

/** Bucket width for each whole range. A zoom uses the range's default, which is finer. */
const BUCKETS: Readonly<Record<string, string>> = { '24h': '1h', '7d': '6h', '30d': '1d' }

/** Parameters that limit usage to the shown provider; none for all of them. */
export const ofProvider = (): { readonly provider?: string } =>
  usageProvider.value === '' ? {} : { provider: usageProvider.value }

/** Whether the shown chart is still that of another provider or of other filters. */
export const isOfAnother = computed(
  () =>
    series.value !== null &&
    ((series.value.query.provider ?? '') !== usageProvider.value ||
      !hasFilters(series.value, question.value)),
)

/** Parameters of the shown time: a range or from and to, with the width of its buckets. */
function timeParameters(range: string): Readonly<Record<string, string>> {
  const { from, to } = question.value
  if (from === '') {
    const bucket = zoom.value === null ? BUCKETS[range] : undefined
    return bucket === undefined ? { range } : { range, bucket }
  }
  const untilMs = to === '' ? serverMs.peek() : timeMs(to)
  const bucket = zoom.value === null ? bucketOfSpan(untilMs - timeMs(from)) : null
  return { from, ...(to === '' ? {} : { to }), ...(bucket === null ? {} : { bucket }) }
}

function seriesQuery({ range, metric, group, top, smooth, mode, compare }: StatsControls): string {
  const query = new URLSearchParams({
    ...timeParameters(range),
    metric,
    group,
    top: String(top),
    smooth: smooth ? '1' : '0',
    mode,
    ...(compare ? { compare: '1' } : {}),
    ...facetsBeside(group),
    ...ofProvider(),
  })
  return withFilters(query)
}

/** Dimensions that neither a filter names nor the table of the chart has. */
function facetsBeside(group: string): { readonly facets?: string } {
  const { account, client } = question.value.filter
  const ofTotal = client !== undefined && account === undefined ? 'client' : 'account'
  const inTable = (group === 'total' ? ofTotal : group).split(',')
  const facets = dimensions.filter(
    (each) => !inTable.includes(each) && question.value.filter[each] === undefined,
  )
  return facets.length === 0 ? {} : { facets: facets.join() }
}

/** A query with the filters of the question, as text. */
export function withFilters(query: URLSearchParams): string {
  return [query, filterParameters(question.value)].map(String).filter(Boolean).join('&')
}

/** Requests a chart, as `fetchAnswer`. */
export const fetchSeries = (query: string, stop: AbortSignal): Promise<StatsSeries> =>
  fetchAnswer(`/api/v1/stats/series?${query}`, stop)

async function loadSeries(query: string, signalToStop: AbortSignal): Promise<void> {
  const answered = await fetchSeries(query, signalToStop)
  keep(query, answered)
  rememberLabels(answered)
  series.value = answered
  seriesRefused.value = null
  seriesFailed.value = false
}

/** Keeps the newest answer for each of the last few queries. */
function keep(query: string, answered: StatsSeries): void {
  kept.delete(query)
  kept.set(query, answered)
  const [oldest] = kept.keys()
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
}

export const isFiltered = computed(() => Object.keys(question.value.filter).length > 0)

export function addFilter(name: FilterName, value: string): void {
  setFilter(name, [...(question.value.filter[name] ?? []), value])
}

/** Parameters of the filters, as the API takes them. */
export function filterParameters({ filter }: Pick<StatsQuestion, 'filter'>): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of filterNames)
    for (const text of filterTexts(filter[name] ?? [])) query.append(name, text)
  return query
}

/** Whether an answer has the filters that are asked for. */
export function hasFilters(
  { query }: Pick<StatsSeries, 'query'>,
  { filter }: StatsQuestion,
): boolean {
  return filterNames.every(
    (name) =>
      [...(query.filter?.[name] ?? [])].sort().join('\n') === (filter[name] ?? []).join('\n'),
  )
}

const labels = new Map<string, string>()

/** Remembers the names of the members of an answer, for chips of filters. */
function rememberLabels({ breakdown, facets = [] }: StatsSeries): void {
  for (const { group, items = [] } of [breakdown ?? {}, ...facets])
    for (const { id, label, members = [{ group, id, label }] } of items)
      for (const member of members) labels.set(`${member.group} ${member.id}`, member.label)
}

/** Name of a filter's value; its id until an answer has named it. */
export function labelOf(name: FilterName, id: string): string {
  const account = allFiles.value.find(({ selector }) => selector.accountKey === id)
  return labels.get(`${name} ${id}`) ?? account?.title ?? id
}

dropWithSwitch({
  part: () => usageProvider.value,
  chosen: () => question.value.filter.account ?? [],
  has: (key) => files.value.some(({ selector }) => selector.accountKey === key),
  keep: (keys) => setFilter('account', keys),
})
