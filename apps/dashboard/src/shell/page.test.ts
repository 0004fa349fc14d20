import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadViewsAhead } from '../parts/lazy-view.tsx'
import { status } from '../state/live-data.ts'
import { dispatch, smallDocument } from '../testing/browser.ts'
import { anEntry, change, clearPage, click, draw, showPool, wordsOf } from '../testing/page.ts'
import type { SmallElement } from '../testing/small-document.ts'
import { isFramed, Page } from './page.tsx'

let place: SmallElement

beforeAll(loadViewsAhead)
beforeEach(() => {
  showPool([anEntry('ana')])
  isFramed.value = true
  place = draw(h(Page, {}))
})
afterEach(() => {
  clearPage()
  location.hash = ''
})

describe('the page', () => {
  it('shows its frame first, then the view and the foot', () => {
    change(() => {
      isFramed.value = false
    })
    expect(wordsOf(place.querySelector('#view'))).toBe('')
    expect(place.querySelectorAll('.top')).toHaveLength(1)
    expect(place.querySelectorAll('footer')).toHaveLength(0)

    change(() => {
      isFramed.value = true
    })
    expect(wordsOf(place.querySelector('#view'))).toMatch(/^5-hour quota/)
    expect(wordsOf(place.querySelector('footer'))).toBe(
      'No usage data 1 Plus = the quota of one Plus account Times in Asia/Shanghai (UTC+08:00)',
    )
  })

  it.each([
    { hash: '#accounts', shows: '.accounts', label: 'tab-accounts' },
    { hash: '#resets', shows: '.lane', label: 'tab-resets' },
    { hash: '#health', shows: '.sources', label: 'tab-health' },
    { hash: '#gone', shows: '.hero', label: 'tab-overview' },
  ])('shows the view of $hash under its tab', ({ hash, shows, label }) => {
    change(() => {
      location.hash = hash
    })
    const view = place.querySelector('#view')

    expect(view?.querySelectorAll(shows)).toHaveLength(1)
    expect(view?.attribute('aria-labelledby')).toBe(label)
    expect(place.querySelectorAll(`#${label}`)).toHaveLength(1)
  })

  it('leaves the sums of a day to the view that has sums of its own', () => {
    const isThere = () => wordsOf(place.querySelector('footer')).includes('No usage data')

    change(() => {
      location.hash = '#stats'
    })
    expect(isThere()).toBe(false)
    change(() => {
      location.hash = '#accounts'
    })
    expect(isThere()).toBe(true)
  })

  it('says of made-up data that it is, and how to see real ones', () => {
    expect(place.querySelectorAll('.demo')).toHaveLength(0)
    change(() => {
      if (status.value !== null) status.value = { ...status.value, demo: true }
    })

    expect(wordsOf(place.querySelector('.demo summary'))).toBe('Demo data · connect your proxy')
    expect(wordsOf(place.querySelector('.demo'))).toContain('svc-quota-monitor doctor')
  })

  it('lets somebody with a keyboard skip its head', () => {
    click(place.querySelector('.skip'))

    expect(smallDocument.activeElement?.attribute('id')).toBe('main')
  })

  it('closes an open menu at a press outside of it, and not inside', () => {
    const menu = place.querySelector('details.menu')
    const openMenu = () =>
      change(() => {
        if (menu !== null) menu.open = true
      })
    openMenu()
    change(() => void dispatch(menu?.querySelector('fieldset') ?? null, 'click'))
    expect(menu?.open).toBe(true)

    change(() => void dispatch(place.querySelector('main'), 'click'))
    expect(menu?.open).toBe(false)
  })
})
