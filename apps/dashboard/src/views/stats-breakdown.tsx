import type { StatsSeries } from '@svc/views'
import { compactText, countText, percentText } from '@svc/views/format'
import { LineSample } from '../parts/line-sample.tsx'
import { Name } from '../parts/name.tsx'
import { Spark } from '../parts/spark.tsx'
import { LINES_MAX } from '../state/chart-lines.ts'
import { strings } from '../words/strings.ts'

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
          {line !== undefined && <LineSample style={index < LINES_MAX ? index + 1 : 'other'} />}
          <Name text={item.label} />
        </span>
      </th>
      <td class="spark-cell">
        {line !== undefined && (
          <Spark
            values={line.points.map((point) => (point.unknown ? null : measuredOf(now, point)))}
          />
        )}
      </td>
      <Measures measures={item} share={shareIn(now, item)} />
    </tr>
  )
}

interface Measured {
  readonly tokens: number
  readonly requests: number
  readonly failed: number
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

/** What the chart is about. */
function measuredOf({ query }: StatsSeries, measured: Measured): number {
  return measured[query.metric]
}

/** Share of all in percent; empty where there is nothing to share. */
function shareIn(now: StatsSeries, part: Measured): string {
  const whole = measuredOf(now, now.totals)
  return whole === 0 ? '' : percentText((measuredOf(now, part) / whole) * 100)
}
