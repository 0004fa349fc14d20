import { effect, signal } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import { compactText, countingDurationText, countText, percentText } from '@svc/views/format'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { Name, shown } from '../parts/name.tsx'
import { Spark } from '../parts/spark.tsx'
import type { UsageChart } from '../parts/usage-chart.ts'
import { privacy, statsControls, theme } from '../state/display-state.ts'
import { status } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

const series = signal<StatsSeries | null>(null)
const failed = signal(false)
/** API names are shown only once somebody has asked for them on this page. */
const apiAllowed = signal(false)
const REFRESH_MS = 30_000
/** Lines that have a dash of their own; the rest share the last one. */
const LINE_STYLES = 5

/** Usage over time, and by whom. */
export function Stats({ title }: { readonly title: string }) {
  const controls = statsControls.value
  const isAsking = controls.group === 'api' && !apiAllowed.value
  useEffect(
    () =>
      effect(() => {
        const query = queryOf(statsControls.value, apiAllowed.value)
        if (query === null) return
        const stop = new AbortController()
        const load = () => void loadSeries(query, stop.signal)
        load()
        const timer = setInterval(() => {
          if (!document.hidden) load()
        }, REFRESH_MS)
        return () => {
          stop.abort()
          clearInterval(timer)
        }
      }),
    [],
  )
  return (
    <>
      <h2 class="sr">{title}</h2>
      <Controls />
      {isAsking ? <ApiQuestion /> : <Usage />}
    </>
  )
}

function queryOf(
  { range, metric, group, top, smooth, mode }: typeof statsControls.value,
  apiIsAllowed: boolean,
): string | null {
  if (group === 'api' && !apiIsAllowed) return null
  return new URLSearchParams({
    range,
    metric,
    group,
    top: String(top),
    smooth: smooth ? '1' : '0',
    mode,
  }).toString()
}

async function loadSeries(query: string, signalToStop: AbortSignal): Promise<void> {
  try {
    const answer = await fetch(`/api/v1/stats/series?${query}`, {
      cache: 'no-store',
      signal: signalToStop,
    })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    series.value = (await answer.json()) as StatsSeries
    failed.value = false
  } catch {
    if (!signalToStop.aborted) failed.value = true
  }
}

function set(changes: Partial<typeof statsControls.value>): void {
  statsControls.value = { ...statsControls.value, ...changes }
}

function Controls() {
  const { top, smooth, group } = statsControls.value
  return (
    <div class="controls">
      <Choice name="range" label={strings.range} choices={strings.ranges} />
      <Choice name="metric" label={strings.metric} choices={strings.metrics} />
      <label class="field">
        {strings.by}
        <select value={group} onChange={(event) => set({ group: event.currentTarget.value })}>
          {Object.entries(strings.groups).map(([id, text]) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        {strings.top}
        <input
          type="number"
          min={1}
          max={20}
          value={top}
          onChange={(event) => {
            const value = Math.round(event.currentTarget.valueAsNumber)
            set({ top: Number.isFinite(value) ? Math.min(20, Math.max(1, value)) : top })
          }}
        />
      </label>
      <Choice name="mode" label={strings.mode} choices={strings.modes} />
      <label class="check">
        <input
          type="checkbox"
          checked={smooth}
          onChange={(event) => set({ smooth: event.currentTarget.checked })}
        />
        {strings.smooth}
      </label>
    </div>
  )
}

interface ChoiceProps {
  readonly name: 'range' | 'metric' | 'mode'
  readonly label: string
  readonly choices: Readonly<Record<string, string>>
}

function Choice({ name, label, choices }: ChoiceProps) {
  return (
    <fieldset class="choice">
      <legend class="sr">{label}</legend>
      {Object.entries(choices).map(([id, text]) => (
        <label key={id}>
          <input
            type="radio"
            name={name}
            checked={statsControls.value[name] === id}
            onChange={() => set({ [name]: id })}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}

function ApiQuestion() {
  return (
    <div class="question" role="group" aria-labelledby="api-question">
      <p id="api-question">{strings.apiQuestion}</p>
      <button
        type="button"
        class="button"
        onClick={() => {
          apiAllowed.value = true
        }}
      >
        {strings.apiShow}
      </button>
      <button type="button" class="button" onClick={() => set({ group: 'client' })}>
        {strings.apiKeep}
      </button>
    </div>
  )
}

function Usage() {
  const now = series.value
  if (now === null)
    return <p class="empty">{failed.value ? strings.chartFailed : strings.loading}</p>
  if (!now.available)
    return (
      <p class="empty">
        {now.range.earliest === null && !hasHistory() ? strings.noHistory : strings.noRows}
      </p>
    )
  if (now.totals.requests === 0) return <p class="empty">{strings.noRows}</p>
  const { totals, range } = now
  return (
    <>
      {failed.value && (
        <p class="banner warn" role="status">
          <Icon name="warn" tone="warn" /> {strings.chartFailed}
        </p>
      )}
      <p class="totals">
        <span>
          <b>{compactText(totals.tokens)}</b> {strings.tokensWord}
        </span>
        <span>
          <b>{countText(totals.requests)}</b> {strings.requestsWord}
        </span>
        <span>
          <b>{totals.failureRateText}</b> {strings.failedWord}
        </span>
        <span class="dim">
          {strings.bucketNote(range.label, countingDurationText(now.bucketSeconds))}
        </span>
      </p>
      <Chart now={now} />
      <Breakdown now={now} />
    </>
  )
}

function hasHistory(): boolean {
  return status.value?.tabs.usage.available === true
}

function Chart({ now }: { readonly now: StatsSeries }) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<UsageChart | null>(null)
  const { metric, group, range } = now.query
  // Colours are read off the page, so a new theme draws anew; so do names that are hidden.
  const look = `${document.documentElement.dataset.theme ?? ''} ${theme.value} ${privacy.value}`
  useEffect(() => {
    let gone = false
    void import('../parts/usage-chart.ts').then(({ drawUsageChart }) => {
      if (gone || box.current === null) return
      chart.current?.destroy()
      chart.current = drawUsageChart(box.current, now, shown)
    })
    return () => {
      gone = true
    }
  }, [now, look])
  useEffect(() => () => chart.current?.destroy(), [])
  return (
    <div
      class="usage-chart"
      ref={box}
      role="img"
      aria-label={strings.chartLabel(
        strings.metrics[metric] ?? metric,
        strings.groups[group] ?? group,
        strings.ranges[range] ?? range,
      )}
    />
  )
}

function Breakdown({ now }: { readonly now: StatsSeries }) {
  const { breakdown, totals, query } = now
  const whole = query.metric === 'tokens' ? totals.tokens : totals.requests
  const isDrawn = query.group !== 'total'
  const share = (part: { readonly tokens: number; readonly requests: number }) =>
    whole === 0
      ? ''
      : percentText(((query.metric === 'tokens' ? part.tokens : part.requests) / whole) * 100)
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
      <thead>
        <tr>
          <th scope="col">{strings.groupHeads[breakdown.group] ?? breakdown.group}</th>
          <th scope="col" class="spark-cell">
            {strings.ranges[query.range] ?? query.range}
          </th>
          <th scope="col" class="number">
            {strings.tokens}
          </th>
          <th scope="col" class="number">
            {strings.share}
          </th>
          <th scope="col" class="number">
            {strings.requests}
          </th>
          <th scope="col" class="number">
            {strings.failedHead}
          </th>
        </tr>
      </thead>
      <tbody>
        {breakdown.items.map((item) => {
          const index = isDrawn ? now.series.findIndex(({ id }) => id === item.id) : -1
          const line = now.series[index]
          return (
            <tr key={item.id}>
              <th scope="row">
                <span class="named">
                  {line !== undefined && <LineSample index={index} />}
                  <Name text={item.label} />
                </span>
              </th>
              <td class="spark-cell">
                {line !== undefined && (
                  <Spark
                    values={line.points.map((point) =>
                      query.metric === 'tokens' ? point.tokens : point.requests,
                    )}
                  />
                )}
              </td>
              <td class="number">{compactText(item.tokens)}</td>
              <td class="number">{share(item)}</td>
              <td class="number">{countText(item.requests)}</td>
              <td class="number">{item.failureRateText}</td>
            </tr>
          )
        })}
        {breakdown.otherCount > 0 && (
          <tr>
            <th scope="row">{strings.rest(breakdown.otherCount)}</th>
            <td class="spark-cell" />
            <td class="number">{compactText(breakdown.other.tokens)}</td>
            <td class="number">{share(breakdown.other)}</td>
            <td class="number">{countText(breakdown.other.requests)}</td>
            <td class="number">{breakdown.other.failureRateText}</td>
          </tr>
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{strings.all}</th>
          <td class="spark-cell" />
          <td class="number">{compactText(totals.tokens)}</td>
          <td class="number">100%</td>
          <td class="number">{countText(totals.requests)}</td>
          <td class="number">{totals.failureRateText}</td>
        </tr>
      </tfoot>
    </table>
  )
}

function LineSample({ index }: { readonly index: number }) {
  return (
    <svg class="line-sample" aria-hidden="true">
      <line class={`series-${Math.min(index, LINE_STYLES - 1) + 1}`} x1="0" x2="24" y1="5" y2="5" />
    </svg>
  )
}
