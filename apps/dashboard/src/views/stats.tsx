import { batch, effect } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { Button, setter, TryNow } from '../parts/button.tsx'
import { useLasting } from '../parts/lasting.ts'
import { lazyView } from '../parts/lazy-view.tsx'
import { RadioChoice } from '../parts/radio-choice.tsx'
import { parseTop } from '../state/address-parameters.ts'
import { minuteText } from '../state/chosen-time.ts'
import {
  apiNamesAllowed,
  STATS_DEFAULTS,
  type StatsControls,
  statsControls,
  zoom,
} from '../state/display-state.ts'
import { serverMs, shownUpstream } from '../state/live-data.ts'
import { isDimension, question, series, setSpan } from '../state/usage-question.ts'
import {
  followSeries,
  hasAreas,
  isOfAnother,
  isWithoutHistory,
  metricFamilies,
  offeredMetrics,
  seriesFailed,
  seriesRefused,
  shownControls,
} from '../state/usage-series.ts'
import { fleetWords } from '../words/fleet-words.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'

const LazyUsage = lazyView(
  async () => (await import('./stats-usage.tsx')).Usage,
  strings.chartFailed,
)

const LazyQuestion = lazyView<object>(
  async () => (await import('./stats-question.tsx')).Question,
  strings.chartFailed,
)

const LazyWindowUse = lazyView<object>(
  async () => (await import('./stats-windows.tsx')).WindowUse,
  strings.chartFailed,
)

/** Usage over time and by member. */
export function Stats({ title }: { readonly title: string }) {
  const isAsking = statsControls.value.group === 'api' && !apiNamesAllowed.value
  useEffect(() => {
    return effect(() => {
      const controls = shownControls.value
      return controls.group === 'api' && !apiNamesAllowed.value ? undefined : followSeries(controls)
    })
  }, [])
  return (
    <>
      <h2 class="sr">{title}</h2>
      {shownUpstream.value !== '' && !isWithoutHistory.value && (
        <p class="dim">{fleetWords.usageOfAll}</p>
      )}
      {!isWithoutHistory.value && <Controls />}
      {isAsking && <ApiQuestion />}
      {(!isAsking || series.value !== null) && <Answer />}
      {series.value !== null && <LazyWindowUse />}
    </>
  )
}

/** The chart and its table. Those of the previous provider are dimmed until the new ones arrive, and removed if they fail to. */
function Answer() {
  const isRefused = seriesRefused.value !== null
  const isBusy = isOfAnother.value && !isRefused
  const isDimmed = useLasting(isBusy)
  if (isRefused || (series.value !== null && !(isBusy && seriesFailed.value)))
    return (
      <div class={isDimmed ? 'dimmed' : undefined} aria-busy={isBusy}>
        <LazyUsage />
      </div>
    )
  if (!seriesFailed.value) return <p class="empty">{statsWords.loading}</p>
  return (
    <p class="empty">
      {strings.chartFailed} <TryNow />
    </p>
  )
}

function set(changes: Partial<StatsControls>): void {
  // All at once, so that one chart is requested.
  batch(() => {
    const { range, ...others } = changes
    if (range !== undefined) {
      zoom.value = null
      setSpan(range === 'custom' ? shownStart() : '', '')
    }
    const isFixed = range !== undefined && range !== 'custom'
    statsControls.value = { ...shownControls.value, ...others, ...(isFixed ? { range } : {}) }
  })
}

/** Start of the shown range, to the minute; a day ago before the first answer. */
function shownStart(): string {
  const start = series.value?.range.start
  return minuteText(start == null ? serverMs.value - 86_400_000 : Date.parse(start))
}

const RARE = ['form', 'top', 'mode', 'smooth', 'compare'] as const

/** Controls of the chart. If there is no room for all, the rare ones are behind one button; they start open if one of them is set. */
function Controls() {
  const { metric, group } = statsControls.value
  const [first, second] = group.split(',')
  const [isOpen, setOpen] = useState(
    RARE.some((name) => statsControls.peek()[name] !== STATS_DEFAULTS[name]),
  )
  return (
    <div class="controls">
      <Choice
        name="range"
        label={statsWords.range}
        choices={{ ...strings.ranges, custom: statsWords.custom }}
      />
      <div class="controls-what">
        <select
          aria-label={statsWords.metric}
          value={metric}
          onChange={(event) => set({ metric: event.currentTarget.value })}
        >
          {metricFamilies.map((ids, index) => (
            <optgroup key={index} label={statsWords.metricFamilies[index]}>
              <Options ids={offeredMetrics(ids)} texts={strings.metrics} />
            </optgroup>
          ))}
        </select>
        <label class="field">
          {statsWords.by}
          <select
            value={first}
            onChange={({ currentTarget: { value } }) => {
              const isPair = second !== undefined && second !== value && isDimension(value)
              set({ group: isPair ? `${value},${second}` : value })
            }}
          >
            <Options ids={Object.keys(strings.groups)} texts={strings.groups} />
          </select>
        </label>
        <button
          type="button"
          class="button more-button"
          aria-expanded={isOpen}
          aria-controls="controls-more"
          onClick={() => setOpen(!isOpen)}
        >
          {statsWords.moreControls}
        </button>
      </div>
      <LazyQuestion />
      <div id="controls-more" class={isOpen ? 'controls-more open' : 'controls-more'}>
        <RareControls />
      </div>
    </div>
  )
}

interface OptionsProps {
  readonly ids: readonly string[]
  readonly texts: Readonly<Record<string, string>>
}

function Options({ ids, texts }: OptionsProps) {
  return (
    <>
      {ids.map((id) => (
        <option key={id} value={id}>
          {texts[id] ?? id}
        </option>
      ))}
    </>
  )
}

/** Forms of a chart; failures are bars of their rate. */
function formChoices(metric: string): Readonly<Record<string, string>> {
  return metric.startsWith('failed')
    ? { ...statsWords.forms, area: statsWords.bars }
    : statsWords.forms
}

function RareControls() {
  const { metric, form, top, smooth, compare } = statsControls.value
  // Bars are percent of the requests of each bucket: nothing to smooth, and none per minute.
  const hasBars = metric.startsWith('failed') && form !== 'line'
  return (
    <>
      {hasAreas(metric) && (
        <Choice name="form" label={statsWords.form} choices={formChoices(metric)} />
      )}
      <label class="field">
        {statsWords.top}
        <input
          type="number"
          min={1}
          max={20}
          value={top}
          // Applied at once, so that a redraw for a new chart does not revert it.
          onInput={({ currentTarget: { valueAsNumber: value } }) => {
            if (parseTop(String(value)) !== undefined) set({ top: value })
          }}
          onChange={(event) => {
            const value = Math.round(event.currentTarget.valueAsNumber)
            set({ top: Number.isFinite(value) ? Math.min(20, Math.max(1, value)) : top })
          }}
        />
      </label>
      {hasAreas(metric) && !hasBars && (
        <>
          {series.value?.bucketSeconds !== 60 && (
            <Choice
              name="mode"
              label={statsWords.mode}
              choices={statsWords.modes(series.value?.bucketSeconds ?? 0)}
            />
          )}
          <label class="check">
            <input
              type="checkbox"
              checked={smooth}
              onChange={(event) => set({ smooth: event.currentTarget.checked })}
            />
            {statsWords.smooth}
          </label>
        </>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={compare}
          onChange={(event) => set({ compare: event.currentTarget.checked })}
        />
        {statsWords.compare}
      </label>
    </>
  )
}

interface ChoiceProps {
  readonly name: 'range' | 'form' | 'mode'
  readonly label: string
  readonly choices: Readonly<Record<string, string>>
}

function Choice({ name, label, choices }: ChoiceProps) {
  const isCustom = name === 'range' && question.value.from !== ''
  return (
    <RadioChoice
      label={label}
      name={name}
      choices={Object.entries(choices)}
      chosen={isCustom ? 'custom' : shownControls.value[name]}
      onChoose={(id) => set({ [name]: id })}
    />
  )
}

function ApiQuestion() {
  return (
    <div class="question" role="group" aria-labelledby="api-question">
      <p id="api-question">{statsWords.apiQuestion}</p>
      <Button onClick={setter(apiNamesAllowed, true)}>{statsWords.apiShow}</Button>
      <Button onClick={() => set({ group: 'client' })}>{statsWords.apiKeep}</Button>
    </div>
  )
}
