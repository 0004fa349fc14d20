import type { StatsSeries } from '@svc/views'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { statsControls, zoom } from '../state/display-state.ts'
import { series } from '../state/usage-question.ts'
import { seriesFailed } from '../state/usage-series.ts'
import {
  change,
  clearPage,
  click,
  draw,
  elementsOf,
  enter,
  holdAnswers,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { aMixedPool, clearProvider, showProvider } from '../testing/providers.ts'
import { Stats } from './stats.tsx'

const before = statsControls.value
let asked: () => readonly string[]
let place: HTMLElement

beforeEach(() => {
  const all = holdAnswers()
  asked = () => all.filter((path) => path.includes('/series'))
  showPool([])
  place = draw(h(Stats, { title: 'Stats' }))
})
afterEach(() => {
  clearProvider()
  seriesFailed.value = false
})

const lastAsked = () => new URL(asked().at(-1) ?? '', 'http://monitor').searchParams
const metric = () => place.querySelector('select')
const group = () => place.querySelectorAll('select')[1] ?? null
const choose = (name: string, words: string) => {
  const label = elementsOf(place, 'label').find(
    (each) => wordsOf(each) === words && each.querySelector(`[name=${name}]`) !== null,
  )
  enter(label?.querySelector('input') ?? null, 'on', 'change')
}

describe('the controls of the chart', () => {
  it('offer a cost only if the monitor has prices', () => {
    const offered = () =>
      elementsOf<HTMLOptionElement>(place, 'select option').map(({ value }) => value)
    expect(offered()).not.toContain('cost')

    change(() => {
      const options = { metric: [{ id: 'cost', label: 'Cost' }] }
      series.value = { range: {}, query: {}, options } as unknown as StatsSeries
    })
    expect(offered()).toContain('cost')
  })

  it('ask for a chart at once, and anew with each change', () => {
    expect(asked()).toHaveLength(1)
    choose('range', '7d')
    enter(metric(), 'requests', 'change')
    choose('mode', 'Per minute')

    expect(asked()).toHaveLength(4)
    expect(Object.fromEntries(lastAsked())).toMatchObject({
      range: '7d',
      metric: 'requests',
      mode: 'rate',
    })
  })

  it.each([
    { range: '6h', bucket: null },
    { range: '24h', bucket: '1h' },
    { range: '7d', bucket: '6h' },
    { range: '30d', bucket: '1d' },
  ])('ask for wide buckets of $range, and for its own once it is zoomed', ({ range, bucket }) => {
    choose('range', range)
    expect(lastAsked().get('bucket')).toBe(bucket)

    change(() => {
      zoom.value = { from: 0, to: 1 }
    })
    expect(lastAsked().has('bucket')).toBe(false)
    choose('range', '1h')
    expect(zoom.value).toBe(null)
  })

  it('call the areas of failures bars', () => {
    expect(wordsOfEach(place, '[name=form] + span')).toEqual(['Areas', 'Lines'])
    enter(metric(), 'failed_limit', 'change')
    expect(wordsOfEach(place, '[name=form] + span')).toEqual(['Bars', 'Lines'])
  })

  it('offer per minute and smooth where the chart counts, not for bars, which are percent', () => {
    const offered = () => [
      place.querySelectorAll('[name=mode]').length,
      place.querySelectorAll('[type=checkbox]').length,
    ]
    expect(offered()).toEqual([2, 2])
    enter(metric(), 'failed', 'change')
    expect(offered()).toEqual([0, 1])
    choose('form', 'Lines')
    expect(offered()).toEqual([2, 2])
  })

  it.each([
    { set: { range: '1h', metric: 'requests', group: 'model' }, isOpen: 'false' },
    { set: { form: 'line' }, isOpen: 'true' },
    { set: { mode: 'rate' }, isOpen: 'true' },
    { set: { top: 3 }, isOpen: 'true' },
    { set: { compare: true }, isOpen: 'true' },
  ])('start with the rare ones in sight: $isOpen with $set', ({ set, isOpen }) => {
    statsControls.value = { ...before, ...set }
    place = draw(h(Stats, { title: 'Stats' }))

    expect(place.querySelector('.more-button')?.getAttribute('aria-expanded')).toBe(isOpen)
  })

  it.each([
    { typed: '3', top: '3' },
    { typed: '0', top: '1' },
    { typed: '99', top: '20' },
    { typed: '2.6', top: '3' },
    { typed: 'many', top: '8' },
  ])('take "$typed" lines as $top', ({ typed, top }) => {
    enter(place.querySelector('[type=number]'), typed, 'change')

    expect(String(statsControls.value.top)).toBe(top)
  })

  it.each([
    { typed: '3', top: 3 },
    { typed: '', top: 8 },
    { typed: '21', top: 8 },
  ])('take "$typed" while it is typed as $top', ({ typed, top }) => {
    enter(place.querySelector('[type=number]'), typed, 'input')

    expect(statsControls.value.top).toBe(top)
  })

  it('do not smooth at first, and smooth when asked to', () => {
    expect(lastAsked().get('smooth')).toBe('0')
    enter(place.querySelector('[type=checkbox]'), 'on', 'change')

    expect(lastAsked().get('smooth')).toBe('1')
  })

  it('compare with the time before when asked to, and ask no such thing at first', () => {
    expect(lastAsked().has('compare')).toBe(false)
    enter(place.querySelectorAll('[type=checkbox]')[1] ?? null, 'on', 'change')

    expect(lastAsked().get('compare')).toBe('1')
  })

  it('ask before they show API names, which can be keys, and send no question until then', () => {
    const asking = asked().length
    enter(group(), 'api', 'change')
    expect(asked()).toHaveLength(asking)
    expect(wordsOf(place.querySelector('.question'))).toBe(
      'API names can be client keys. Show them on this screen? Show names Keep hidden',
    )

    const [, keep] = place.querySelectorAll('.question button')
    click(keep)
    expect(lastAsked().get('group')).toBe('client')

    enter(group(), 'api', 'change')
    click(place.querySelector('.question button'))
    expect(lastAsked().get('group')).toBe('api')
    expect(place.querySelectorAll('.question')).toHaveLength(0)
  })

  it('remember on this browser that API names may be shown, and do not hide the last chart meanwhile', async () => {
    change(() => {
      series.value = {
        available: false,
        query: {},
        range: { earliest: '2026-11-20T00:00:00Z' },
      } as never
    })
    await expect.poll(() => place.querySelectorAll('.empty').length).toBe(1)
    enter(group(), 'api', 'change')
    expect(place.querySelectorAll('.question, .empty')).toHaveLength(2)

    click(place.querySelector('.question button'))
    expect(localStorage.getItem('quota.api-names')).toBe('true')
  })

  it.each([
    { hours: 0.5, range: '1h' },
    { hours: 5, range: '6h' },
    { hours: 7, range: '24h' },
  ])('show $range of the first $hours h until somebody chooses', ({ hours, range }) => {
    const end = '2026-11-20T12:00:00Z'
    const earliest = new Date(Date.parse(end) - hours * 3_600_000).toISOString()
    const answered = () =>
      change(() => {
        series.value = { available: false, query: {}, range: { earliest, end } } as never
      })
    answered()
    expect(lastAsked().get('range')).toBe(range)
    const count = asked().length
    answered()
    expect(asked()).toHaveLength(count)

    choose('range', '24h')
    expect(lastAsked().get('range')).toBe('24h')
  })

  it('ask nothing more once the view is left', () => {
    clearPage()
    const count = asked().length
    change(() => {
      statsControls.value = { ...statsControls.value, range: '1h' }
    })

    expect(asked()).toHaveLength(count)
  })
})

describe('the usage of one provider', () => {
  const of = () => lastAsked().get('provider')
  const theChart = (query: object) =>
    ({ available: false, query, range: { earliest: '2026-11-20T00:00:00Z' } }) as never

  it('is asked for while several are there to choose from, and that of all under all', () => {
    expect(of()).toBeNull()
    change(() => showProvider(aMixedPool(), ''))
    expect(of()).toBe('codex')
    change(() => showProvider(aMixedPool(), 'claude'))
    expect(of()).toBe('claude')
    change(() => showProvider(aMixedPool(), 'all'))
    expect(of()).toBeNull()
  })

  it('is dimmed while it is that of another, and gone if its own does not come', async () => {
    change(() => {
      showProvider(aMixedPool(), 'claude')
      series.value = theChart({ provider: 'claude' })
    })
    const busy = () => place.querySelector('[aria-busy]')?.getAttribute('aria-busy')
    expect(busy()).toBe('false')
    change(() => showProvider(aMixedPool(), 'all'))
    expect(busy()).toBe('true')
    change(() => {
      seriesFailed.value = true
    })

    expect(wordsOfEach(place, '.empty')).toEqual(['The chart could not be loaded. Try now'])
  })
})

describe('the place of the chart', () => {
  it('shows the usage once it is there, and nothing to choose where none is kept', async () => {
    expect(place.querySelectorAll('.controls')).toHaveLength(1)
    change(() => {
      series.value = { available: false, query: {}, range: { earliest: null } } as never
    })

    await expect
      .poll(() => wordsOfEach(place, '.empty'))
      .toEqual([
        'No usage history. Set state_db = "history.db" in the configuration, or start with --state-db <path> . What is set up, in Health',
      ])
    expect(place.querySelectorAll('.controls')).toHaveLength(0)
  })
})
