import type { StatsSeries } from '@svc/views'
import { compactText, countText, percentText } from '@svc/views/format'
import { Name } from '../parts/name.tsx'
import { Spark } from '../parts/spark.tsx'
import { strings } from '../words/strings.ts'

/** Lines that have a dash of their own; the rest share the last one. */
const LINE_STYLES = 5

/** Who used how much: a row for each member, the rest in one, and the sum. */
export function Breakdown({ now }: { readonly now: StatsSeries }) {
  const { breakdown, totals } = now
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
      <Heads now={now} />
      <tbody>
        {breakdown.items.map((item) => (
          <Member key={item.id} now={now} item={item} />
        ))}
        {breakdown.otherCount > 0 && (
          <tr>
            <th scope="row">{strings.rest(breakdown.otherCount)}</th>
            <td class="spark-cell" />
            <Measures measures={breakdown.other} share={shareIn(now, breakdown.other)} />
          </tr>
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{strings.all}</th>
          <td class="spark-cell" />
          <Measures measures={totals} share="100%" />
        </tr>
      </tfoot>
    </table>
  )
}

function Heads({ now: { breakdown, query } }: { readonly now: StatsSeries }) {
  return (
    <thead>
      <tr>
        <th scope="col">{strings.groupHeads[breakdown.group] ?? breakdown.group}</th>
        <th scope="col" class="spark-cell">
          {strings.ranges[query.range] ?? query.range}
        </th>
        {[strings.tokens, strings.share, strings.requests, strings.failedHead].map((head) => (
          <th key={head} scope="col" class="number">
            {head}
          </th>
        ))}
      </tr>
    </thead>
  )
}

interface MemberProps {
  readonly now: StatsSeries
  readonly item: StatsSeries['breakdown']['items'][number]
}

/** A member, with its line in small where the chart has one. */
function Member({ now, item }: MemberProps) {
  const index = now.query.group === 'total' ? -1 : now.series.findIndex(({ id }) => id === item.id)
  const line = now.series[index]
  return (
    <tr>
      <th scope="row">
        <span class="named">
          {line !== undefined && <LineSample index={index} />}
          <Name text={item.label} />
        </span>
      </th>
      <td class="spark-cell">
        {line !== undefined && (
          <Spark values={line.points.map((point) => measuredOf(now, point))} />
        )}
      </td>
      <Measures measures={item} share={shareIn(now, item)} />
    </tr>
  )
}

interface Measured {
  readonly tokens: number
  readonly requests: number
}

interface MeasuresProps {
  readonly measures: Measured & { readonly failureRateText: string }
  readonly share: string
}

function Measures({ measures, share }: MeasuresProps) {
  const { tokens, requests, failureRateText } = measures
  return (
    <>
      {[compactText(tokens), share, countText(requests), failureRateText].map((text, index) => (
        <td key={index} class="number">
          {text}
        </td>
      ))}
    </>
  )
}

/** What the chart is about: tokens or requests. */
function measuredOf({ query }: StatsSeries, { tokens, requests }: Measured): number {
  return query.metric === 'tokens' ? tokens : requests
}

/** Share of all in percent; empty where there is nothing to share. */
function shareIn(now: StatsSeries, part: Measured): string {
  const whole = measuredOf(now, now.totals)
  return whole === 0 ? '' : percentText((measuredOf(now, part) / whole) * 100)
}

function LineSample({ index }: { readonly index: number }) {
  return (
    <svg class="line-sample" aria-hidden="true">
      <line class={`series-${Math.min(index, LINE_STYLES - 1) + 1}`} x1="0" x2="24" y1="5" y2="5" />
    </svg>
  )
}
