import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isByPlan } from '../state/account-filters.ts'
import { privacy } from '../state/display-state.ts'
import { dispatch } from '../testing/browser.ts'
import {
  anEntry,
  change,
  click,
  draw,
  elementsOf,
  press,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { Accounts } from './accounts.tsx'

let place: HTMLElement
const writeText = vi.fn(async (_text: string) => undefined)
const bar = () => wordsOf(place.querySelector('.picked-bar'))
const boxes = () => elementsOf<HTMLInputElement>(place, 'tbody tr .pick input')
const button = (words: string) =>
  elementsOf(place, '.picked-bar button').find((each) => wordsOf(each).startsWith(words))

beforeEach(() => {
  Object.defineProperty(globalThis, 'navigator', {
    configurable: true,
    value: { clipboard: { writeText } },
  })
  showPool([
    anEntry('ana', { fiveHour: 90 }),
    anEntry('bob', { fiveHour: 50 }),
    anEntry('cyd', { fiveHour: 0 }),
    anEntry('pia', { fiveHour: 40 }, { claimedPlan: 'pro' }),
  ])
  place = draw(h(Accounts, { title: 'Accounts' }))
})
afterEach(() => {
  vi.clearAllMocks()
})

describe('the bar of what is picked', () => {
  it('is heard only once something is picked', () => {
    expect(bar()).toBe('')
    expect(place.querySelector('.picked-bar [role=status]')).not.toBe(null)
    click(boxes()[0])

    expect(wordsOf(place.querySelector('.picked-bar [role=status]'))).toBe(
      'Selected: 1 account, 1 routable, 5h 0.9 of 1 Plus usable, week 0.6 of 1 Plus usable',
    )
  })

  it('copies the names at the press of a key, of nothing where nothing is picked', () => {
    press('c')
    expect(writeText).not.toHaveBeenCalled()
    click(boxes()[2])
    click(boxes()[0])
    press('c')

    expect(writeText).toHaveBeenLastCalledWith('ana@example.com\nbob@example.com')
  })

  it('copies the names, and the auth file names, one a line in the order of the table', () => {
    click(boxes()[2])
    click(boxes()[0])
    click(button('Copy 2 names'))
    expect(writeText).toHaveBeenLastCalledWith('ana@example.com\nbob@example.com')

    click(button('Copy 2 auth file names'))
    expect(writeText.mock.lastCall?.[0].split('\n')).toHaveLength(2)
    expect(writeText.mock.lastCall?.[0]).toMatch(/^codex-ana[^\n]*\ncodex-bob/)
  })

  it('copies masked names while names are hidden, and says so', () => {
    click(boxes()[0])
    expect(bar()).not.toContain('masked')
    change(() => {
      privacy.value = true
    })
    expect(bar()).toContain('Names are copied masked.')
    expect(wordsOf(place.querySelector('.find .popup'))).toContain('Names are copied masked.')

    click(button('Copy the name'))
    click(button('Copy the auth file name'))
    for (const [text] of writeText.mock.calls) expect(text).not.toMatch(/ana|@/)
    expect(writeText).toHaveBeenCalledTimes(2)
  })
})

describe('the boxes of the table', () => {
  it('say whose they are, hidden names hidden', () => {
    expect(boxes()[0]?.getAttribute('aria-label')).toBe('Select ana@example.com')
    change(() => {
      privacy.value = true
    })

    expect(boxes()[0]?.getAttribute('aria-label')).not.toMatch(/ana|example/)
  })

  it('pick a stretch with shift', () => {
    click(boxes()[0])
    change(() => void dispatch(boxes()[3] ?? null, 'click', { shiftKey: true }))

    expect(bar()).toMatch(/^Selected: 4 accounts/)
  })

  it('pick a row by a press with control, which opens nothing', () => {
    const cell = place.querySelector('td.points')
    change(() => void dispatch(cell, 'click', { ctrlKey: true }))

    expect(bar()).toMatch(/^Selected: 1 account/)
    expect(place.querySelectorAll('.drawer')).toHaveLength(0)
    expect(place.querySelectorAll('tr.picked')).toHaveLength(1)
  })

  it('of the head and of a plan pick all of theirs, and know some from all', () => {
    change(() => {
      isByPlan.value = true
    })
    const of = (label: string) => place.querySelector<HTMLInputElement>(`[aria-label="${label}"]`)
    const plan = () => of('Select every account of Pro')
    const all = () => of('Select all in the table')
    click(plan())
    expect(bar()).toMatch(/^Selected: 1 account, 1 routable, 5h 8\.0 of 20 Plus usable/)
    expect([plan(), all()].map((box) => box?.indeterminate)).toEqual([false, true])

    click(all())
    expect(bar()).toMatch(/^Selected: 4 accounts/)
    click(all())
    expect(bar()).toBe('')
  })

  it('leave no more than one stop for the keyboard in a row', () => {
    expect(boxes().map((box) => box.getAttribute('tabindex'))).toEqual(['-1', '-1', '-1', '-1'])
    expect(wordsOfEach(place, 'tbody a')).toHaveLength(4)
  })
})
