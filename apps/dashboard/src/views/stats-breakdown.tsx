import { signal } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import { compactText, countText, percentText } from '@svc/views/format'
import { Icon } from '../parts/icon.tsx'
import { LineSample } from '../parts/line-sample.tsx'
import { Name, shown } from '../parts/name.tsx'
import { Spark } from '../parts/spark.tsx'
import { measuredIn, runningIndexOf, stylesIn } from '../state/chart-lines.ts'
import { accountKeyOf, allFiles } from '../state/pool.ts'
import { accountHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'

type Column = 'name' | 'tokens' | 'requests' | 'failed'

interface Sorting {
  readonly column: Column
  readonly isDescending: boolean
}

/** Null for the order of the service, highest usage first. */
const sorting = signal<Sorting | null>(null)

type Member = StatsSeries['breakdown']['items'][number]

/** Usage table: a row for each member, one for the rest, and the sum. */
export function Breakdown({ now }: { readonly now: StatsSeries }) {
  const { breakdown, totals } = now
  // The single line of all usage belongs to no member.
  const hasLines = now.query.group !== 'total'
  return (
    <table class="breakdown">
      <caption>
        {breakdown.title}
        <span class="exports">
          <a href={now.export.csvPath} download="usage.csv">
            {strings.csv}
          </a>
          <a href={now.export.jsonPath}>{strings.json}</a>
        </span>
      </caption>
      <Heads now={now} hasLines={hasLines} />
      <tbody>
        {sort(breakdown.items).map((item) => (
          <MemberRow key={item.id} now={now} item={item} hasLines={hasLines} />
        ))}
        {breakdown.otherCount > 0 && (
          <tr>
            <th scope="row">{strings.rest(breakdown.otherCount)}</th>
            {hasLines && <td class="spark-cell" />}
            <Measures measures={breakdown.other} share={shareIn(now, breakdown.other)} />
          </tr>
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{strings.all}</th>
          {hasLines && <td class="spark-cell" />}
          <Measures measures={totals} share="100%" />
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
      : rankOf(one, column) - rankOf(other, column)
  return items.toSorted((one, other) => (isDescending ? order(other, one) : order(one, other)))
}

/** Value that a row is sorted by. The column of failures shows rates, so these decide. */
function rankOf({ requests, failed, tokens }: Member, column: Exclude<Column, 'name'>): number {
  if (column === 'failed') return requests === 0 ? 0 : failed / requests
  return column === 'tokens' ? tokens : requests
}

interface HeadsProps {
  readonly now: StatsSeries
  readonly hasLines: boolean
}

function Heads({ now: { breakdown, query }, hasLines }: HeadsProps) {
  return (
    <thead>
      <tr>
        <SortHead
          column="name"
          text={strings.groupHeads[breakdown.group] ?? breakdown.group}
          isNumber={false}
        />
        {hasLines && (
          <th scope="col" class="spark-cell">
            {strings.ranges[query.range] ?? query.range}
          </th>
        )}
        <SortHead column="tokens" text={strings.tokens} />
        <th scope="col" class="number">
          {strings.shareOf[query.metric] ?? query.metric}
        </th>
        <SortHead column="requests" text={strings.requests} />
        <SortHead column="failed" text={strings.failedHead} />
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

interface MemberProps extends HeadsProps {
  readonly item: Member
}

/** A member, with a small copy of its line if the chart has one. */
function MemberRow({ now, item, hasLines }: MemberProps) {
  const line = hasLines ? now.series.find(({ id }) => id === item.id) : undefined
  const runningIndex = line === undefined ? null : runningIndexOf(now, line.points)
  const href = now.breakdown.group === 'account' ? hrefOf(item.id) : null
  return (
    <tr>
      <th scope="row">
        <span class="named">
          {line !== undefined && <LineSample style={stylesIn(now).get(item.id) ?? 'other'} />}
          {href === null ? (
            <Name text={item.label} />
          ) : (
            <a href={href}>
              <Name text={item.label} />
            </a>
          )}
        </span>
      </th>
      {hasLines && (
        <td class="spark-cell">
          {line !== undefined && (
            <Spark
              values={line.points.map((point, at) =>
                point.unknown || at === runningIndex ? null : measuredOf(now, point),
              )}
            />
          )}
        </td>
      )}
      <Measures measures={item} share={shareIn(now, item)} />
    </tr>
  )
}

/** Link to the details of an account; null if it has left the pool. */
function hrefOf(accountKey: string): string | null {
  const found = allFiles.value.find(({ selector }) => selector.accountKey === accountKey)
  return found === undefined ? null : accountHref(accountKeyOf(found))
}

type Measured = Pick<StatsSeries['totals'], 'tokens' | 'requests' | 'failed' | 'value'>

interface MeasuresProps {
  readonly measures: Measured & { readonly failureRateText: string; readonly failing: boolean }
  readonly share: string
}

function Measures({ measures, share }: MeasuresProps) {
  const { tokens, requests, failureRateText, failing } = measures
  return (
    <>
      {[compactText(tokens), share, countText(requests)].map((text, index) => (
        <td key={index} class="number">
          {text}
        </td>
      ))}
      <td class={failing ? 'number failing' : 'number'}>
        {failing && <Icon name="warn" tone="warn" />} {failureRateText}
      </td>
    </>
  )
}

/** The value in the chart's measure. */
function measuredOf(now: StatsSeries, measured: Measured): number {
  return measuredIn(now, measured) ?? 0
}

/** Share of the total in percent; empty if the total is 0. */
function shareIn(now: StatsSeries, part: Measured): string {
  const whole = measuredOf(now, now.totals)
  return whole === 0 ? '' : percentText((measuredOf(now, part) / whole) * 100)
}
