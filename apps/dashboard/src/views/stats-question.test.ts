import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { STATS_DEFAULTS, statsControls } from '../state/display-state.ts'
import { question, setFilter, setSpan } from '../state/usage-question.ts'
import { addFilter, seriesRefused } from '../state/usage-series.ts'
import { change, click, draw, enter, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import { Question } from './stats-question.tsx'
import { Usage } from './stats-usage.tsx'

afterEach(() => {
  seriesRefused.value = null
})

const drawn = () => {
  showPool([])
  return draw(h(Question, {}))
}

describe('the chips', () => {
  it('name each filter and the chosen time, stay when the group changes, and remove what they name', () => {
    const place = drawn()
    expect(place.querySelector('.question-chips')).toBe(null)
    change(() => {
      addFilter('client', 'team-a')
      addFilter('client', 'team-b')
      setFilter('status', ['limit'])
      setSpan('2026-10-14', '')
      statsControls.value = { ...STATS_DEFAULTS, group: 'model', metric: 'requests' }
    })
    expect(wordsOfEach(place, '.question-chips li')).toEqual([
      'Client team-a',
      'Client team-b',
      'Status 429',
      expect.stringMatching(/^Range .* – now$/),
    ])
    click(place.querySelector('[aria-label="Remove Client team-a"]'))
    expect(question.value.filter.client).toEqual(['team-b'])
    click([...place.querySelectorAll('.question-chips button')].at(-1) ?? null)
    expect(question.value).toEqual({
      filter: { client: ['team-b'], status: ['limit'] },
      from: '',
      to: '',
    })
  })
})

describe('the controls of the question', () => {
  it('choose one result, and name several of an address', () => {
    const place = drawn()
    const outcome = () => [...place.querySelectorAll('select')].at(-1) ?? null
    enter(outcome(), 'failed', 'change')
    expect(question.value.filter).toEqual({ result: ['failed'] })
    enter(outcome(), 'limit', 'change')
    expect(question.value.filter).toEqual({ status: ['limit'] })
    change(() => setFilter('status', ['limit', 'auth']))
    expect(wordsOf(outcome()?.selectedOptions[0] ?? null)).toBe('401, 403, 429')
    enter(outcome(), '', 'change')
    expect(question.value.filter).toEqual({})
  })

  it('add a second dimension, none to what has no dimension', () => {
    const place = drawn()
    enter(place.querySelector('select'), 'model', 'change')
    expect(statsControls.value.group).toBe('client,model')
    change(() => {
      statsControls.value = STATS_DEFAULTS
      statsControls.value = { ...STATS_DEFAULTS, group: 'total' }
    })
    expect(place.querySelectorAll('select')).toHaveLength(1)
  })

  it('choose months by the clock of the display timezone', () => {
    const place = drawn()
    change(() => setSpan('2026-10-14', ''))
    const [since, last] = place.querySelectorAll('.span-picker button')
    click(since ?? null)
    expect([question.value.from, question.value.to]).toEqual(['2026-11-01', ''])
    click(last ?? null)
    expect([question.value.from, question.value.to]).toEqual(['2026-10-01', '2026-11-01'])
    const [from] = place.querySelectorAll('input')
    enter(from ?? null, '2026-10-05T00:00', 'change')
    expect(question.value.from).toBe('2026-10-05')
  })
})

it.each(['rows_gone', 'too_many_requests'] as const)(
  'says in the place of the chart that %s, and shortens the time with one press',
  (status) => {
    showPool([])
    setSpan('2026-01-01', '2026-11-20')
    seriesRefused.value = { status, longestFrom: '2026-10-20T00:00:00Z' }
    const place = draw(
      h(Usage, { drawChart: () => ({ look: () => undefined, destroy: () => undefined }) }),
    )
    expect(place.querySelector('.usage-chart')).toBe(null)
    click(place.querySelector('.empty button'))

    expect(question.value).toMatchObject({ from: '2026-10-20T00:00:00Z', to: '2026-11-20' })
  },
)
