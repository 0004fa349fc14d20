import { NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { privacy } from '../state/display-state.ts'
import { browserMs, health } from '../state/live-data.ts'
import { anEntry, change, draw, showPool, wordsOf } from '../testing/page.ts'
import { Announcer, followTrouble } from './page.tsx'

let place: HTMLElement
let stop: () => void
const said = () => wordsOf(place.querySelector('[role=status]'))

/** Makes the monitor report this trouble, `minutes` after the beginning. */
function report(titles: readonly string[], minutes = 0): void {
  change(() => {
    browserMs.value = NOW + minutes * 60_000
    const now = health.value
    const [example] = now?.sources ?? []
    if (now === null || example === undefined) throw new Error('there is no health')
    const actions = titles.map((title) => ({ ...example, id: title, title }))
    health.value = { ...now, actions }
  })
}

beforeEach(() => {
  showPool([anEntry('ana')])
  health.value = null
  stop = followTrouble()
  showPool([anEntry('ana')])
  place = draw(h(Announcer, {}))
})
afterEach(() => {
  stop()
})

describe('new trouble', () => {
  it('is announced once, and what was there when the page was opened is not', () => {
    stop()
    report(['Old trouble'])
    stop = followTrouble()
    expect(said()).toBe('')

    report(['Old trouble', 'Auth invalid'])
    expect(said()).toBe('New: Auth invalid.')
    const before = place.querySelector('[role=status]')?.childNodes[0]
    report(['Old trouble', 'Auth invalid'], 1)
    expect(place.querySelector('[role=status]')?.childNodes[0]).toBe(before)
  })

  it.each([
    { minutes: 30, again: false },
    { minutes: 61, again: true },
  ])('that comes back after $minutes min is announced again: $again', ({ minutes, again }) => {
    report(['Auth invalid'])
    report(['Gateway down'], 0)
    report(['Auth invalid'], minutes)

    expect(said()).toBe(again ? 'New: Auth invalid.' : 'New: Gateway down.')
  })

  it('is named up to three, and the rest is counted', () => {
    report(['A', 'B', 'C'])
    expect(said()).toBe('New: A. B. C.')
    report(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'])
    expect(said()).toBe('New: D. E. F, and 2 more.')
  })

  it('has no address in private', () => {
    privacy.value = true
    report(['Log in ana@example.com'])

    expect(said()).toMatch(/^New: Log in user-[0-9a-f]{4}\.$/)
  })
})
