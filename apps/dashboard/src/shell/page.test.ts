import { NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadViewsAhead } from '../parts/lazy-view.tsx'
import { chosenProvider } from '../state/display-state.ts'
import { browserMs, shownProvider, status } from '../state/live-data.ts'
import { dispatch } from '../testing/browser.ts'
import { anEntry, change, click, draw, showPool, wordsOf } from '../testing/page.ts'
import { isFramed, Page, PrintHead, ZoneNote } from './page.tsx'

let place: HTMLElement

beforeAll(loadViewsAhead)
beforeEach(() => {
  showPool([anEntry('ana')])
  isFramed.value = true
  place = draw(h(Page, {}))
})
afterEach(() => {
  vi.useRealTimers()
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
    expect(view?.getAttribute('aria-labelledby')).toBe(label)
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

  it('has no empty line in the foot of a view without units', () => {
    change(() => {
      location.hash = '#health'
    })
    expect([...place.querySelectorAll('footer p')].map(wordsOf)).toEqual([
      'No usage data',
      'Times in Asia/Shanghai (UTC+08:00)',
    ])
  })

  it('says of made-up data that it is', () => {
    expect(place.querySelectorAll('.demo')).toHaveLength(0)
    change(() => {
      if (status.value !== null) status.value = { ...status.value, demo: true }
    })

    expect(wordsOf(place.querySelector('.demo summary'))).toBe('Demo data · connect your proxy')
  })

  it('lets somebody with a keyboard skip its head', () => {
    click(place.querySelector('.skip'))

    expect(document.activeElement?.getAttribute('id')).toBe('main')
  })

  it('has the focus in the view once what had it there is gone, and leaves it where it is else', async () => {
    const view = place.querySelector<HTMLElement>('#view')
    const after = async (hash: string) => {
      change(() => {
        location.hash = hash
      })
      await vi.waitFor(() => expect(document.activeElement).not.toBe(document.body))
      return document.activeElement
    }
    place.querySelector<HTMLElement>('.big button')?.focus()
    expect(await after('#resets')).toBe(view)

    const gone = document.createElement('button')
    view?.append(gone)
    gone.focus()
    gone.remove()
    await vi.waitFor(() => expect(document.activeElement).toBe(view))

    const menu = place.querySelector<HTMLElement>('summary')
    menu?.focus()
    expect(await after('#overview')).toBe(menu)
  })

  it('closes an open menu at a press outside of it, and not inside', () => {
    const menu = place.querySelector<HTMLDetailsElement>('details.menu')
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

  it('is busy at once while another choice loads, but dimmed only if that takes a while', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const seen = () => {
      const main = place.querySelector('main')
      return {
        isBusy: main?.getAttribute('aria-busy'),
        isDimmed: main?.classList.contains('dimmed'),
      }
    }
    const wait = (ms: number) => change(() => void vi.advanceTimersByTime(ms))
    const choose = (provider: string) =>
      change(() => {
        chosenProvider.value = provider
      })
    const load = () => choose('claude')
    const arrive = () => choose(shownProvider.value)
    load()
    wait(149)
    expect(seen()).toEqual({ isBusy: 'true', isDimmed: false })
    arrive()
    wait(1_000)
    expect(seen()).toEqual({ isBusy: 'false', isDimmed: false })
    load()
    wait(150)
    expect(seen()).toEqual({ isBusy: 'true', isDimmed: true })
    arrive()
    expect(seen()).toEqual({ isBusy: 'false', isDimmed: false })
    load()
    expect(seen()).toEqual({ isBusy: 'true', isDimmed: false })
  })
})

afterEach(() => {
  browserMs.value = NOW
})

describe('the head of what is printed', () => {
  it('says the view, the date, the age of the data and the zone', () => {
    showPool([anEntry('ana')])
    location.hash = '#resets'
    const place = draw(h(PrintHead, {}))
    change(() => {
      browserMs.value = NOW + 240_000
    })

    expect(wordsOf(place)).toBe(
      'Quota, Resets, 20 Nov 2026 20:04. Data of 20 Nov 2026 20:00, 4min old. Times in Asia/Shanghai (UTC+08:00)',
    )
  })

  it('says that there is no data, where there is none', () => {
    showPool([])
    change(() => {
      status.value = null
    })

    expect(wordsOf(draw(h(PrintHead, {})))).toMatch(/^Quota, Overview, .* no data/)
  })
})

/** Sets the browser's zone; the service is in Shanghai. */
function beIn(timeZone: string): void {
  const options = new Intl.DateTimeFormat().resolvedOptions()
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({
    ...options,
    timeZone,
  })
}

const note = () => draw(h(ZoneNote, {}))

beforeEach(() => showPool([anEntry('ana')]))
afterEach(() => {
  vi.restoreAllMocks()
})

describe('the note about the zone of the times', () => {
  it.each([
    { here: 'UTC', clock: '8h 00min behind' },
    { here: 'Asia/Tokyo', clock: '1h 00min ahead' },
    { here: 'Asia/Kolkata', clock: '2h 30min behind' },
  ])('says in $here whose they are, and what to set', ({ here, clock }) => {
    beIn(here)

    expect(wordsOf(note())).toBe(
      `Times are those of Asia/Shanghai (UTC+08:00). This browser's clock is ${clock}; to have its time here, set display_timezone = "${here}" Dismiss`,
    )
  })

  it.each([{ here: 'Asia/Shanghai' }, { here: 'Asia/Singapore' }])(
    'is not there in $here, where the clock shows the same',
    ({ here }) => {
      beIn(here)

      expect(wordsOf(note())).toBe('')
    },
  )

  it('is not there before the zone of the service is known', () => {
    beIn('UTC')
    const place = note()
    change(() => {
      status.value = null
    })

    expect(wordsOf(place)).toBe('')
  })

  it('stays away once somebody has taken note of it, until one of the zones is another', () => {
    beIn('UTC')
    const place = note()
    click(place.querySelector('button'))
    expect(wordsOf(place)).toBe('')

    beIn('Europe/Prague')
    expect(wordsOf(note())).toContain('7h 00min behind')
  })
})
