import { batch } from '@preact/signals'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Name, shown } from '../parts/text.tsx'
import { localText, timeMs, timeOfLocal } from '../state/chosen-time.ts'
import { statsControls } from '../state/display-state.ts'
import { serverMs, zone } from '../state/live-data.ts'
import {
  dimensions,
  type FilterName,
  filterNames,
  isDimension,
  outcomes,
  question,
  setFilter,
  setSpan,
} from '../state/usage-question.ts'
import { labelOf } from '../state/usage-series.ts'
import { questionWords } from '../words/question-words.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'

/** Second group, result, chosen time and filters of the usage. */
export function Question() {
  return (
    <>
      <SecondGroup />
      <Outcome />
      {question.value.from !== '' && <Span />}
      <Chips />
    </>
  )
}

function SecondGroup() {
  const { group } = statsControls.value
  const [first = '', second = ''] = group.split(',')
  if (!isDimension(first)) return null
  return (
    <label class="field">
      {questionWords.andBy}
      <select
        value={second}
        onChange={({ currentTarget: { value } }) => {
          const pair = [first, value].filter(Boolean).join()
          statsControls.value = { ...statsControls.value, group: pair }
        }}
      >
        <option value="">{questionWords.noSecond}</option>
        {dimensions
          .filter((each) => each !== first)
          .map((each) => (
            <option key={each} value={each}>
              {strings.groups[each]}
            </option>
          ))}
      </select>
    </label>
  )
}

/** Select of one result or class of failure. Several, as an address can have, are one entry of their own. */
function Outcome() {
  const { result = [], status = [] } = question.value.filter
  const chosen = [...result, ...status]
  const texts = questionWords.outcomes
  return (
    <label class="field">
      {questionWords.outcome}
      <select
        value={chosen.join()}
        onChange={({ currentTarget: { value } }) => {
          const isResult = value === 'ok' || value === 'failed'
          batch(() => {
            setFilter('result', isResult ? [value] : [])
            setFilter('status', isResult || value === '' ? [] : value.split(','))
          })
        }}
      >
        <option value="">{questionWords.anyOutcome}</option>
        {outcomes.map((each) => (
          <option key={each} value={each}>
            {texts[each]}
          </option>
        ))}
        {chosen.length > 1 && (
          <option value={chosen.join()}>
            {strings.listOf(chosen.map((each) => texts[each] ?? each))}
          </option>
        )}
      </select>
    </label>
  )
}

/** Inputs of the chosen time, in the display timezone. */
function Span() {
  const { from, to } = question.value
  const month = zone.value.iso(serverMs.value).slice(0, 7)
  const first = `${month}-01`
  const before = new Date(Date.parse(first) - 1).toISOString().slice(0, 7)
  return (
    <fieldset class="span-picker">
      <legend class="sr">{statsWords.range}</legend>
      <label class="field">
        {questionWords.from}
        <input
          type="datetime-local"
          value={localText(from)}
          onChange={({ currentTarget: { value } }) => {
            const time = timeOfLocal(value)
            if (time) setSpan(time, to)
          }}
        />
      </label>
      <label class="field">
        {questionWords.to}
        <input
          type="datetime-local"
          value={localText(to)}
          onChange={({ currentTarget: { value } }) => {
            const time = timeOfLocal(value)
            if (time !== undefined) setSpan(from, time)
          }}
        />
      </label>
      <Button onClick={() => setSpan(first, '')}>{questionWords.sinceFirst}</Button>
      <Button onClick={() => setSpan(`${before}-01`, first)}>{questionWords.lastMonth}</Button>
    </fieldset>
  )
}

/** The filters and the chosen time, each with a button that removes it. */
function Chips() {
  const { filter, from, to } = question.value
  const chips = filterNames.flatMap((name) =>
    (filter[name] ?? []).map((id) => ({ name, id, label: valueText(name, id) })),
  )
  if (chips.length === 0 && from === '') return null
  const momentText = (text: string) => zone.value.momentText(timeMs(text), serverMs.value)
  const span = () =>
    strings.momentSpan(momentText(from), to === '' ? questionWords.now : momentText(to))
  return (
    <ul class="question-chips" aria-label={questionWords.shownOnly}>
      {chips.map(({ name, id, label }) => (
        <Chip
          key={`${name} ${id}`}
          name={questionWords.filters[name]}
          label={label}
          onRemove={() =>
            setFilter(
              name,
              (filter[name] ?? []).filter((each) => each !== id),
            )
          }
        />
      ))}
      {from !== '' && (
        <Chip name={statsWords.range} label={span()} onRemove={() => setSpan('', '')} />
      )}
    </ul>
  )
}

function valueText(name: FilterName, id: string): string {
  const isOutcome = name === 'result' || name === 'status'
  return isOutcome ? (questionWords.outcomes[id] ?? id) : labelOf(name, id)
}

interface ChipProps {
  readonly name: string | undefined
  readonly label: string
  readonly onRemove: () => void
}

function Chip({ name = '', label, onRemove }: ChipProps) {
  return (
    <li>
      <span class="dim">{name}</span> <Name text={label} />
      <button
        type="button"
        aria-label={questionWords.remove(`${name} ${shown(label)}`)}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}
