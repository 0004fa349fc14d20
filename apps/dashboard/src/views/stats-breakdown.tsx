import { signal } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import { capitalised, compactText, countText, percentText } from '@svc/views/format'
import { setter } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { LineSample } from '../parts/line-style.tsx'
import { Spark } from '../parts/spark.tsx'
import { Name, shown } from '../parts/text.tsx'
import { addsUp, type ChartLines, findPartial, measuredIn, stylesIn } from '../state/chart-lines.ts'
import { cursor, highlighted, isolated, toggleIsolated } from '../state/chart-view.ts'
import { accountKeyOf, allFiles } from '../state/pool.ts'
import { accountHref } from '../state/route.ts'
import { isDimension } from '../state/usage-question.ts'
import { addFilter } from '../state/usage-series.ts'
import { questionWords } from '../words/question-words.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'
import { bucketText, valueText } from './stats-readings.ts'

type Column = 'name' | 'tokens' | 'requests' | 'failed'

interface Sorting {
  readonly column: Column
  readonly isDescending: boolean
}

/** Chosen sorting; null for the order of the service, highest usage first. */
const sorting = signal<Sorting | null>(null)

type Member = StatsSeries['breakdown']['items'][number]
type Line = StatsSeries['series'][number]

interface BreakdownProps {
  readonly now: StatsSeries
  readonly chart: ChartLines
}

/**
 * Usage table, which is also the legend of the chart: a row for each member, one for the rest, and the sum, for the bucket under the cursor or else
 * the whole range. A press on a name counts only its member, one on a sample isolates the line.
 */
export function Breakdown({ now, chart }: BreakdownProps) {
  const { breakdown } = now
  const hasLines = now.query.group !== 'total'
  const at = hasLines ? cursor.value : null
  const table = { now, chart, at, hasLines }
  const columns = breakdown.group.split(',').length
  return (
    <table class="breakdown">
      <caption>
        {breakdown.title}{' '}
        <span class="dim">{at === null ? statsWords.wholeRange : bucketText(now, chart, at)}</span>{' '}
        <span class="exports">
          <a href={now.export.csvPath} download="usage.csv">
            {statsWords.csv}
          </a>{' '}
          <a href={now.export.jsonPath}>{statsWords.json}</a>
        </span>
      </caption>
      <Heads now={now} hasLines={hasLines} />
      <tbody>
        {sort(breakdown.items).map((item) => (
          <MemberRow key={item.id} {...table} item={item} />
        ))}
        {breakdown.otherCount > 0 && (
          <tr>
            <th scope="row" colSpan={columns}>
              {hasLines ? (
                <span class="named">
                  <Isolate
                    chart={chart}
                    id="other"
                    style="other"
                    name={statsWords.rest(breakdown.otherCount)}
                  />
                  {statsWords.rest(breakdown.otherCount)}
                </span>
              ) : (
                statsWords.rest(breakdown.otherCount)
              )}
            </th>
            {hasLines && <td class="spark-cell" />}
            <Measures {...table} measures={at === null ? breakdown.other : restAt(now, at)} />
          </tr>
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={columns}>
            {strings.all}
          </th>
          {hasLines && <td class="spark-cell" />}
          <Measures
            {...table}
            measures={at === null ? now.totals : (now.total?.points[at] ?? null)}
            id="total"
          />
        </tr>
      </tfoot>
    </table>
  )
}

function sort(items: readonly Member[]): readonly Member[] {
  if (sorting.value === null) return items
  const { column, isDescending } = sorting.value
  const order = (one: Member, other: Member) =>
    column === 'name'
      ? shown(one.label).localeCompare(shown(other.label))
      : sortValue(one, column) - sortValue(other, column)
  return items.toSorted((one, other) => (isDescending ? order(other, one) : order(one, other)))
}

/** Sort key of a row. The column of failures shows rates and is therefore sorted by them. */
function sortValue({ requests, failed, tokens }: Member, column: Exclude<Column, 'name'>): number {
  if (column === 'failed') return requests === 0 ? 0 : failed / requests
  return column === 'tokens' ? tokens : requests
}

/** The chart and how its table shows it. */
interface TableProps extends BreakdownProps {
  /** The bucket whose values are shown; null for the whole range. */
  readonly at: number | null
  /** False if the single line of all usage belongs to no member. */
  readonly hasLines: boolean
}

function Heads({ now: { breakdown, query }, hasLines }: Pick<TableProps, 'now' | 'hasLines'>) {
  const [first = '', second] = breakdown.group
    .split(',')
    .map((each) => capitalised(strings.groups[each] ?? each))
  return (
    <thead>
      <tr>
        <SortHead column="name" text={first} isNumber={false} />
        {second !== undefined && <th scope="col">{second}</th>}
        {hasLines && (
          <th scope="col" class="spark-cell">
            {strings.ranges[query.range] ?? query.range}
          </th>
        )}
        <SortHead column="tokens" text={strings.tokens} />
        <th scope="col" class={query.metric in statsWords.shareOf ? 'number share' : 'number'}>
          {statsWords.shareOf[query.metric] ?? strings.metrics[query.metric] ?? query.metric}
        </th>
        <SortHead column="requests" text={strings.requests} />
        <SortHead column="failed" text={strings.metrics.failed} />
      </tr>
    </thead>
  )
}

interface SortHeadProps {
  readonly column: Column
  readonly text: string
  readonly isNumber?: boolean
}

/** Button that sorts by its column, names ascending and numbers descending; another press reverses the order. */
function SortHead({ column, text, isNumber = true }: SortHeadProps) {
  const now = sorting.value?.column === column ? sorting.value : null
  const direction = now?.isDescending ? 'descending' : 'ascending'
  return (
    <th scope="col" class={isNumber ? 'number' : undefined} aria-sort={now ? direction : undefined}>
      <button
        type="button"
        onClick={() => {
          sorting.value = { column, isDescending: now === null ? isNumber : !now.isDescending }
        }}
      >
        {text}
        {now && <Icon name={now.isDescending ? 'down' : 'up'} />}
      </button>
    </th>
  )
}

/** A member, with a small copy of its line if it has one. */
function MemberRow({ item, ...table }: TableProps & { readonly item: Member }) {
  const { now, chart, at, hasLines } = table
  const line = hasLines ? now.series.find(({ id }) => id === item.id) : undefined
  const style = stylesIn(now).get(item.id)
  const { group } = now.breakdown
  const [first = { group, ...item }, second] = item.members ?? []
  const href = now.breakdown.group === 'account' ? hrefOf(item.id) : null
  return (
    <tr>
      <th scope="row">
        <span class="named">
          {line !== undefined && (
            <Isolate
              chart={chart}
              id={style === undefined ? 'other' : item.id}
              style={style ?? 'other'}
              name={item.label}
            />
          )}
          <Only {...first} />
          {href !== null && (
            <a
              href={href}
              aria-label={strings.reading(statsWords.accountDetails, shown(item.label))}
            >
              {statsWords.accountDetails}
            </a>
          )}
        </span>
      </th>
      {second !== undefined && (
        <td>
          <Only {...second} />
        </td>
      )}
      {hasLines && <td class="spark-cell">{line && <LineSpark now={now} line={line} />}</td>}
      <Measures
        {...table}
        measures={at === null ? item : (line?.points[at] ?? null)}
        id={item.id}
      />
    </tr>
  )
}

function LineSpark({ now, line: { points } }: { readonly now: StatsSeries; readonly line: Line }) {
  const partial = findPartial(now, points)
  return (
    <Spark
      values={points.map((point, at) =>
        point.unknown || partial.includes(at) ? null : measuredIn(now, point),
      )}
    />
  )
}

interface IsolateProps {
  readonly chart: ChartLines
  readonly id: string
  readonly style: number | 'other'
  readonly name: string
}

/** Name of a member. A press counts only this member. */
export function Only({ group, id, label }: { group: string; id: string; label: string }) {
  if (!isDimension(group) || id === '') return <Name text={label} />
  return (
    <button
      type="button"
      class="only"
      title={questionWords.only(shown(label))}
      onClick={() => addFilter(group, id)}
    >
      <Name text={label} />
    </button>
  )
}

/** Sample of a line, if the chart has that line. A press isolates the line, or shows all lines again. */
function Isolate({ chart, id, style, name }: IsolateProps) {
  if (!chart.lines.some((line) => line.id === id)) return null
  const point = (to: string | null) => setter(highlighted, to)
  return (
    <button
      type="button"
      class="isolate"
      aria-pressed={isolated.value === id}
      aria-label={questionWords.alone(shown(name))}
      title={statsWords.showAlone}
      onClick={() => toggleIsolated(id)}
      onPointerEnter={point(id)}
      onPointerLeave={point(null)}
      onFocus={point(id)}
      onBlur={point(null)}
    >
      <LineSample style={style} />
    </button>
  )
}

/** Link to the details of an account; null if it has left the pool. */
function hrefOf(accountKey: string): string | null {
  const found = allFiles.value.find(({ selector }) => selector.accountKey === accountKey)
  return found === undefined ? null : accountHref(accountKeyOf(found))
}

/** Usage of a member, in total or in one bucket. The text on failures is that of the whole range. */
type Measured = Pick<
  Line['points'][number],
  'tokens' | 'requests' | 'failed' | 'value' | 'unpricedTokens'
> & {
  readonly cost?: Member['cost']
  readonly failureRateText: string
  readonly failing?: boolean | undefined
  readonly unknown?: boolean | undefined
}

interface MeasuresProps extends TableProps {
  /** Values of the row; null if unknown. */
  readonly measures: Measured | null
  /** Id of the line whose previous period is shown in the row; absent for none. */
  readonly id?: string
}

function Measures({ now, chart, measures, at, id }: MeasuresProps) {
  if (measures === null || measures.unknown)
    return (
      <td class="number dim" colSpan={4}>
        {statsWords.notKnown}
      </td>
    )
  const { tokens, requests, failureRateText, failing } = measures
  const before = id === undefined ? null : beforeText(now, chart, id, at)
  const { metric } = now.query
  const cells = [
    { of: 'tokens', text: compactText(tokens) },
    metric in statsWords.shareOf
      ? { of: 'share', text: shareText(now, measures, at) }
      : { of: metric, text: amountText(now, measures) },
    { of: 'requests', text: countText(requests) },
  ]
  const beforeIn = (of: string) =>
    of === metric && before !== null && <small class="dim"> {before}</small>
  return (
    <>
      {cells.map(({ of, text }) => (
        <td key={of} class={of === 'share' ? 'number share' : 'number'}>
          {text}
          {of === 'cost' && <Unpriced measures={measures} />}
          {beforeIn(of)}
        </td>
      ))}
      <td class={failing ? 'number failing' : 'number'}>
        {failing && <Icon name="warn" tone="warn" />} {failureRateText}
        {beforeIn('failed')}
      </td>
    </>
  )
}

/** Share of the tokens that have no price, under a cost. */
function Unpriced({ measures: { tokens, cost, unpricedTokens } }: { measures: Measured }) {
  const without = cost?.unpricedTokens ?? unpricedTokens ?? 0
  if (without === 0) return null
  return (
    <small class="dim unpriced">
      {' '}
      {statsWords.unpricedShare(percentText((100 * without) / tokens))}
    </small>
  )
}

/** Usage in the chart's metric, of the whole time and never per minute. */
export function amountText(
  now: StatsSeries,
  used: Omit<Measured, 'failureRateText'> | null,
): string {
  const counted = { ...now, query: { ...now.query, mode: 'bucket' as const } }
  return valueText(counted, { form: 'line' }, used && measuredIn(now, used))
}

/** Value of the previous period; for failures their rate. Null without a comparison, or if the line did not exist then. */
function beforeText(
  now: StatsSeries,
  { previous }: ChartLines,
  id: string,
  at: number | null,
): string | null {
  if (now.previous === null || previous === null) return null
  const then = [...now.previous.series, now.previous.total].find((line) => line.id === id)
  if (then === undefined) return null
  const point = at === null ? undefined : then.points[at]
  const used = at === null ? then : point?.unknown ? null : (point ?? null)
  return statsWords.before(
    used !== null && now.query.metric === 'failed' ? rateText(used) : amountText(now, used),
  )
}

/** Usage in a bucket of the members without a line; null if unknown. */
function restAt(now: StatsSeries, at: number): Measured | null {
  const all = now.total?.points[at]
  if (all === undefined || all.unknown) return null
  const left = (of: 'tokens' | 'requests' | 'failed' | 'value' | 'unpricedTokens') =>
    Math.max(
      0,
      (all[of] ?? 0) - now.series.reduce((sum, { points }) => sum + (points[at]?.[of] ?? 0), 0),
    )
  const requests = left('requests')
  const failed = left('failed')
  return {
    tokens: left('tokens'),
    requests,
    failed,
    unpricedTokens: left('unpricedTokens'),
    value: addsUp(now) && typeof all.value === 'number' ? left('value') : null,
    failureRateText: rateText({ requests, failed }),
  }
}

/** Text of the failure rate, in percent. */
function rateText({ requests, failed }: Pick<Measured, 'requests' | 'failed'>): string {
  return percentText(requests === 0 ? 0 : (100 * failed) / requests)
}

/** Share of the total in percent; empty if the total is 0. */
function shareText(now: StatsSeries, part: Measured, at: number | null): string {
  const of = at === null ? now.totals : now.total?.points[at]
  const whole = of === undefined ? 0 : (measuredIn(now, of) ?? 0)
  return whole === 0 ? '' : percentText(((measuredIn(now, part) ?? 0) / whole) * 100)
}
