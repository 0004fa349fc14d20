import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { goTo, route } from '../state/route.ts'
import { covering, dispatch } from '../testing/browser.ts'
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
import { Accounts } from '../views/accounts.tsx'
import { isPageCovered } from './drawer-panel.tsx'

let place: HTMLElement
const drawer = () => place.querySelector('.drawer')
const focused = () => {
  const element = document.activeElement
  return element?.getAttribute('aria-label') ?? wordsOf(element)
}
/** Presses Tab; true if the browser moves the focus itself. */
const tab = (shiftKey = false) => !press('Tab', { shiftKey })

beforeEach(() => {
  showPool(['ana', 'bob', 'cyd'].map((name) => anEntry(name)))
  goTo('#accounts')
  place = draw(h(Accounts, { title: 'Accounts' }))
})
afterEach(() => {
  covering.clear()
})

/** Opens the details of an account like a press on its row. */
function open(name: string): void {
  elementsOf(place, '.open')
    .find((link) => wordsOf(link).startsWith(name))
    ?.focus()
  change(() => goTo(`#accounts/index-${name}`))
}

describe('details beside the table', () => {
  it('come next after their row, and lead on to the next row', () => {
    open('bob')
    expect(drawer()?.getAttribute('role')).toBe('complementary')
    const inDetails = [
      'Copy name',
      'Close',
      'Refresh this account',
      'For scripts',
      ...['Copy authName', 'Copy authIndex', 'Copy accountKey'],
    ]
    const stop = (isBackwards: boolean) => {
      tab(isBackwards)
      return focused()
    }

    expect([...inDetails, ''].map(() => stop(false))).toEqual([...inDetails, 'cyd@example.com'])
    expect([...inDetails, ''].map(() => stop(true))).toEqual([
      ...inDetails.toReversed(),
      'bob@example.com',
    ])
  })

  it('are gone through with their charts, and with one stop for several choices', () => {
    open('bob')
    const add = (name: string, details: object) => {
      const element = Object.assign(document.createElement(name), details)
      element.setAttribute('aria-label', JSON.stringify(details))
      drawer()?.append(element)
      return element
    }
    add('input', { type: 'radio', checked: false })
    add('input', { type: 'radio', checked: true })
    add('div', { what: 'a chart' }).setAttribute('role', 'slider')
    elementsOf(drawer(), 'button').at(-1)?.focus()
    const stops = [1, 2, 3].map(() => {
      tab()
      return focused()
    })

    expect(stops).toEqual([
      '{"type":"radio","checked":true}',
      '{"what":"a chart"}',
      'cyd@example.com',
    ])
  })

  it('are not entered again behind the last row, so that Tab leads out of the page', () => {
    open('bob')
    elementsOf(place, '.open').at(-1)?.focus()
    expect(focused()).toBe('cyd@example.com')

    expect([tab(), focused()]).toEqual([true, 'Copy accountKey'])
    elementsOf(place, '.open').at(-1)?.focus()
    expect([tab(true), focused()]).toEqual([false, 'Copy accountKey'])
  })

  it('take the focus where nothing has it, as after the palette', () => {
    change(() => goTo('#accounts/index-bob'))

    expect(document.activeElement).toBe(drawer())
    tab()
    expect(focused()).toBe('Copy name')
  })

  it('leave the focus in their row where they are opened from it', () => {
    open('bob')

    expect(focused()).toBe('bob@example.com')
  })

  it('leave the rest of the page to the order of the browser', () => {
    open('bob')

    expect(tab(true)).toBe(true)
    place.querySelector<HTMLElement>('#search')?.focus()
    expect([tab(), tab(true)]).toEqual([true, true])
    expect(place.querySelector('.table-box')?.getAttribute('inert')).toBe(null)
  })

  it('give the focus back to their row', async () => {
    open('bob')
    tab()
    click(drawer()?.querySelector('header a'))
    await Promise.resolve()

    expect([route.value.account, focused()]).toEqual([null, 'bob@example.com'])
  })
})

describe('details that cover the page', () => {
  beforeEach(() => {
    covering.add('drawer')
    open('bob')
  })

  it('are a dialog that has the focus, and nothing behind it can be reached', () => {
    expect([drawer()?.getAttribute('role'), drawer()?.getAttribute('aria-modal')]).toEqual([
      'dialog',
      'true',
    ])
    expect(document.activeElement).toBe(drawer())
    expect(wordsOfEach(place, '.find[inert], .table-box[inert]')).toHaveLength(2)
  })

  it('close at Escape, and the focus returns to the row', async () => {
    press('Escape')
    await Promise.resolve()

    expect([route.value.account, focused()]).toEqual([null, 'bob@example.com'])
    expect(isPageCovered.value).toBe(false)
    expect(place.querySelector('.table-box')?.getAttribute('inert')).toBe(null)
  })

  it('are a dialog no longer once there is room beside the table', () => {
    covering.clear()
    change(() => void dispatch(null, 'resize'))

    expect(drawer()?.getAttribute('role')).toBe('complementary')
    expect(place.querySelector('.find')?.getAttribute('inert')).toBe(null)
  })
})
