import { anAccount, NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadViewsAhead } from '../parts/lazy-view.tsx'
import { browserMs, connection, status } from '../state/live-data.ts'
import { dispatch } from '../testing/browser.ts'
import {
  anEntry,
  change,
  draw,
  elementsOf,
  enter,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { Resets } from './resets.tsx'

beforeAll(loadViewsAhead)
afterEach(() => {
  browserMs.value = NOW
})

const resets = () => draw(h(Resets, { title: 'Resets' }))
const column = (id: string, place = resets()) =>
  place.querySelector(`section[aria-labelledby=title-resets-${id}]`)

describe('the view of resets', () => {
  it('helps to set the monitor up as long as there is nothing to show', () => {
    const answers = connection.value
    change(() => {
      status.value = null
      connection.value = { ...answers, failingSinceMs: NOW }
    })

    expect(wordsOf(resets().querySelector('#title-set-up'))).toBe('Set up')
    change(() => {
      connection.value = answers
    })
  })

  it('says what expires unused within the hour, and counts down to it', () => {
    showPool([anEntry('ana', { fiveHour: 90, resetsInSeconds: 1_800 }), anEntry('bob')])
    const place = resets()
    expect(wordsOfEach(place, '.reclaim')).toEqual([
      'ana@example.com Plus 0.9 Plus expire unused at 20:30 90% 30min left to use them',
    ])
    expect(place.querySelector('.reclaim a')?.getAttribute('href')).toBe('#accounts/index-ana')

    change(() => {
      browserMs.value += 600_000
    })
    expect(wordsOf(place.querySelector('.reclaim'))).toContain('20min left to use them')
  })

  it('says that nothing expires, where nothing does', () => {
    showPool([anEntry('ana')])

    expect(wordsOf(resets().querySelector('.lane'))).toBe(
      'Expires unused No 5h quota is about to expire.',
    )
  })

  it('does not say that nothing expires, where nothing is known', () => {
    showPool([[anAccount('ana'), null]])

    expect(wordsOf(resets().querySelector('.lane'))).toBe(
      'Expires unused Waiting for the first reading.',
    )
  })

  it('sums up what expires, lists the first and leads to the table of all', () => {
    const names = Array.from({ length: 10 }, (_, index) => `user${index}`)
    showPool(names.map((name) => anEntry(name, { fiveHour: 90, resetsInSeconds: 1_800 })))
    const lane = resets().querySelector('.lane')

    expect(wordsOf(lane?.querySelector('.sum') ?? null)).toBe(
      '9.0 Plus in 10 accounts expire unused within the hour',
    )
    expect(lane?.querySelectorAll('.reclaim')).toHaveLength(8)
    expect(wordsOf(elementsOf(lane, 'a').at(-1) ?? null)).toBe('2 more')
    expect(elementsOf(lane, 'a').at(-1)?.getAttribute('href')).toBe('#accounts?f=reclaim')
  })

  it('lists all that expires on paper, where no table is a press away', () => {
    const names = Array.from({ length: 10 }, (_, index) => `user${index}`)
    showPool(names.map((name) => anEntry(name, { fiveHour: 90, resetsInSeconds: 1_800 })))
    const lane = resets().querySelector('.lane')
    change(() => void dispatch(null, 'beforeprint'))

    expect(lane?.querySelectorAll('.reclaim')).toHaveLength(10)
    expect(wordsOf(lane ?? null)).not.toContain('more')
  })

  it('lists when each account gets how much back', () => {
    showPool([anEntry('ana'), anEntry('bob', { fiveHour: 0, resetsInSeconds: 600 })])

    expect(wordsOfEach(column('5h') ?? resets(), 'tbody tr')).toEqual([
      '10min 20:10 bob@example.com +1.0 0%',
      '2h 30min 22:30 ana@example.com +0.2 80%',
    ])
  })

  it('sums up what becomes usable within the hours that are chosen, as far as the pool can hold it', () => {
    showPool([
      anEntry('ana', { fiveHour: 0, resetsInSeconds: 9_000 }),
      anEntry('bob', { fiveHour: 20, resetsInSeconds: 17_000 }),
    ])
    const place = resets()
    const sum = (id: string) => wordsOf(column(id, place)?.querySelector('.sum') ?? null)

    expect(sum('5h')).toBe('+1.8 Plus in the next 6 hours, to 2.0 of 2 if nothing is used')
    const held = '; 0.6 of it are held until another window resets'
    expect(sum('week')).toBe(`+1.4 Plus in the next 7 days, to 2.0 of 2 if nothing is used${held}`)

    const choices = column('week', place)?.querySelectorAll('input') ?? []
    enter(choices[0] ?? null, 'on', 'change')
    expect(sum('week')).toBe(
      `+0.6 Plus in the next 24 hours, to 1.2 of 2 if nothing is used${held}`,
    )
    enter(choices[1] ?? null, 'on', 'change')
  })

  it('says of a pool without an account that there is none yet', () => {
    showPool([])

    expect(wordsOf(column('5h'))).toBe('5-hour resets Range 6 hours 24 hours No accounts yet.')
    expect(wordsOf(resets().querySelector('.lane'))).toBe('Expires unused No accounts yet.')
  })
})
