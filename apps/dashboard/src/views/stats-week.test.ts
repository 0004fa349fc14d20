import { effect } from '@preact/signals'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { statsControls, zoom } from '../state/display-state.ts'
import { change, click, draw, elementsOf, holdAnswers, showPool } from '../testing/page.ts'
import { seriesOptions } from '../testing/usage.ts'
import { WeekHours, weekSeries } from './stats-week.tsx'

const HOURS = 167
const HOUR_MS = 3_600_000
const END = Date.UTC(2026, 10, 20, 12)
const scrollDirectly = globalThis.scrollTo
let asked: string[] = []
let place: HTMLElement

beforeEach(() => {
  asked = holdAnswers()
  globalThis.scrollTo = () => undefined
  showPool([])
  weekSeries.value = {
    available: true,
    options: seriesOptions,
    query: { metric: 'tokens', mode: 'bucket' },
    total: {
      points: Array.from({ length: HOURS }, (_, index) => ({
        t: new Date(END - (HOURS - index) * HOUR_MS).toISOString(),
        tokens: index,
      })),
    },
  } as never
  place = draw(h('div', {}, [h('div', { class: 'usage-chart', tabIndex: 0 }), h(WeekHours, {})]))
})
afterEach(() => {
  globalThis.scrollTo = scrollDirectly
  weekSeries.value = null
})

const cells = () => elementsOf(place, '.heat')

describe('the hours of the week', () => {
  it('say how they are read', () => {
    expect(place.querySelector('caption')?.textContent).toBe(
      "The last seven days by the hour: tokens The stronger, the more. Hours after now are last week's.",
    )
  })

  it('are requested anew for another metric, and for nothing else', () => {
    change(() => {
      statsControls.value = { ...statsControls.value, range: '1h', group: 'model', compare: true }
    })
    expect(asked).toHaveLength(1)
    change(() => {
      statsControls.value = { ...statsControls.value, metric: 'requests' }
    })
    expect(asked).toHaveLength(2)
  })

  it('go to the chart with one press, which changes range and zoom at once', () => {
    const seen: unknown[] = []
    const end = effect(() => void seen.push([statsControls.value.range, zoom.value !== null]))
    click(cells().find((cell) => cell.getAttribute('aria-disabled') !== 'true'))
    end()

    expect(seen).toEqual([
      ['24h', false],
      ['7d', true],
    ])
    expect(document.activeElement).toBe(place.querySelector('.usage-chart'))
  })

  it('offer no press where there is no hour', () => {
    const off = cells().filter((cell) => cell.getAttribute('aria-disabled') === 'true')

    expect(off.map((cell) => cell.getAttribute('aria-label'))).toEqual(['not known'])
    click(off[0])
    expect(zoom.value).toBe(null)
  })
})
