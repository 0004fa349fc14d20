import { signal } from '@preact/signals'
import type { StatsSeries, UsageFailuresPayload } from '@svc/views'
import { countText } from '@svc/views/format'
import { useEffect } from 'preact/hooks'
import { Heads } from '../parts/rows.tsx'
import { followAnswer } from '../state/ask-regularly.ts'
import { question } from '../state/usage-question.ts'
import { filterParameters, ofProvider } from '../state/usage-series.ts'
import { questionWords } from '../words/question-words.ts'
import { statsWords } from '../words/stats-words.ts'

/** The last answer about causes of failures; null before the first. */
export const causesSeen = signal<UsageFailuresPayload | null>(null)
const isCausesFailed = signal(false)
const REFRESH_MS = 60_000
/** Causes that are shown. */
const SHOWN = 12

/** Whether a chart is about failed requests. */
function isOfFailures({ query: { metric, filter } }: StatsSeries): boolean {
  return (
    metric.startsWith('failed') ||
    filter?.result?.includes('failed') === true ||
    filter?.status !== undefined
  )
}

/** Path to the causes of the chart's failures. They are counted by neither client nor model. */
function causesPath({ query: { metric, from = '' } }: StatsSeries): string {
  const { to } = question.value
  const { client: _client, model: _model, result: _result, ...filter } = question.value.filter
  const parameters = filterParameters({ filter })
  const [, ofMetric] = metric.split('failed_')
  if (ofMetric !== undefined && filter.status === undefined) parameters.set('status', ofMetric)
  for (const [name, value] of Object.entries({
    ...ofProvider(),
    from,
    ...(to === '' ? {} : { to }),
  }))
    parameters.set(name, value)
  return `/api/v1/usage/failures?${parameters}`
}

/** Why the requests of a chart of failures failed; renders nothing for any other chart. */
export function FailureCauses({ now }: { readonly now: StatsSeries }) {
  return isOfFailures(now) ? <Causes path={causesPath(now)} /> : null
}

function Causes({ path }: { readonly path: string }) {
  // The chart begins later every half minute, the days that are counted do not.
  const days = path.replace(/T[^&]*/g, '')
  useEffect(() => followAnswer(path, causesSeen, isCausesFailed, REFRESH_MS), [days])
  const seen = causesSeen.value
  if (seen?.available !== true) return null
  const { client, model } = question.value.filter
  return (
    <section class="causes">
      <h3>{questionWords.causes}</h3>
      {seen.causes.length > 0 && (
        <table>
          <thead>
            <Heads words={questionWords.causeHeads} />
          </thead>
          <tbody>
            {seen.causes.slice(0, SHOWN).map((cause) => (
              <tr key={`${cause.provider} ${cause.status} ${cause.code}`}>
                <th scope="row">
                  {cause.status ?? statsWords.notKnown} <code>{cause.code}</code>
                  {cause.meaning !== null && <small class="dim"> {cause.meaning}</small>}
                </th>
                <td>{countText(cause.requests)}</td>
                <td>{countText(cause.accounts)}</td>
                <td>{cause.lastAt.slice(0, 10)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="dim small">
        {questionWords.causesNote(
          seen.causes.length - SHOWN,
          client !== undefined || model !== undefined,
        )}
      </p>
    </section>
  )
}
