import { NOW } from '@svc/core/testing'
import type { HealthHistoryPayload } from '@svc/views'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { shownUpstream, status } from '../state/live-data.ts'
import {
  change,
  draw,
  elementsOf,
  holdAnswers,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { HealthDays, healthHistory, healthHistoryFailed } from './health-days.tsx'

const HOUR_MS = 3_600_000
/** Midnight in the zone of the page. */
const MIDNIGHT = NOW - ((NOW + 8 * HOUR_MS) % (24 * HOUR_MS))
const hour = (hours: number) => new Date(MIDNIGHT + hours * HOUR_MS).toISOString()

type State = HealthHistoryPayload['stretches'][number]['state']

/** A history that ends with the day before today; the stretches begin at these hours before that. */
const historyOf = (...begun: readonly (readonly [number, State])[]): HealthHistoryPayload => ({
  available: true,
  reason: null,
  start: hour(-720),
  end: hour(0),
  stepSeconds: 900,
  awaySince: null,
  stretches: begun.map(([from, state], index) => ({
    from: hour(from),
    to: hour(begun[index + 1]?.[0] ?? 0),
    state,
  })),
})

beforeEach(() => {
  holdAnswers()
  showPool([])
})
afterEach(() => {
  change(() => {
    healthHistory.value = null
    healthHistoryFailed.value = false
    status.value = null
    shownUpstream.value = ''
  })
})

/** The drawn history. */
function drawn(history: HealthHistoryPayload): HTMLElement {
  change(() => {
    healthHistory.value = history
  })
  return draw(h(HealthDays, {}))
}

describe('the thirty days', () => {
  it('have a row for each day that says in words what was not good', () => {
    const place = drawn(
      historyOf(
        [-96, 'unknown'],
        [-95, 'good'],
        [-72, 'dry'],
        [-48, 'good'],
        [-40, 'low'],
        [-38.5, 'good'],
        [-24, 'low'],
        [-23, 'dry'],
        [-22, 'low'],
        [-21, 'away'],
        [-20.5, 'good'],
      ),
    )

    expect(wordsOfEach(place, 'tbody td:last-child')).toEqual([
      'low 2h 00min, dry 1h 00min, proxy away 30min',
      'low 08:00–09:30',
      'dry',
      'good',
    ])
  })

  it('differ in shape, and name each stretch with its times', () => {
    const place = drawn(
      historyOf([-24, 'good'], [-12, 'low'], [-6, 'dry'], [-3, 'away'], [-1, 'unknown']),
    )
    const shapes = elementsOf<SVGElement>(place, 'tbody g').map((g) =>
      [...g.children]
        .filter(({ localName }) => localName !== 'title')
        .map((part) => `${part.localName} ${part.getAttribute('height') ?? ''}`.trim())
        .join(', '),
    )

    expect(shapes).toEqual(['rect 3', 'rect 7', 'rect 12', 'rect 12, path', 'path'])
    expect(wordsOfEach(place, 'tbody title')).toEqual([
      'good 00:00–12:00',
      'low 12:00–18:00',
      'dry 18:00–21:00',
      'proxy away 21:00–23:00',
      'not known 23:00–00:00',
    ])
  })

  it('are those of all proxies, which is said where one is shown alone', () => {
    const words = 'These days are those of all proxies.'
    const place = drawn(historyOf([-24, 'good']))
    expect(wordsOf(place)).not.toContain(words)
    change(() => {
      shownUpstream.value = 'east'
    })

    expect(wordsOf(place)).toContain(words)
  })

  it('say since when it is known whether the proxy was away', () => {
    const history = historyOf([-24, 'good'])

    expect(wordsOf(drawn(history))).not.toContain('earlier changes')
    expect(wordsOf(drawn({ ...history, awaySince: hour(-2) }))).toContain(
      'Whether the proxy was away is known since',
    )
  })

  it.each([
    { what: 'nothing is recorded', history: historyOf([-24, 'unknown']), says: /Nothing has been/ },
    {
      what: 'there is no store',
      history: { ...historyOf(), available: false, reason: 'no_store' as const },
      says: /Without state_db/,
    },
    {
      what: 'the store cannot be read',
      history: { ...historyOf(), available: false, reason: 'store_unavailable' as const },
      says: /cannot be read now/,
    },
  ])('say so where $what', ({ history, says }) => {
    expect(wordsOf(drawn(history))).toMatch(says)
  })

  it('wait for the first answer, and offer to ask again if it fails', () => {
    const place = draw(h(HealthDays, {}))
    expect(wordsOf(place)).toContain('Loading')
    change(() => {
      healthHistoryFailed.value = true
    })

    expect(wordsOf(place)).toContain('cannot be read now')
    expect(place.querySelectorAll('button')).toHaveLength(1)
  })
})
