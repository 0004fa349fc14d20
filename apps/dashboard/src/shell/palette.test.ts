import { fromNow } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { query } from '../state/account-filters.ts'
import { privacy, theme } from '../state/display-state.ts'
import { goTo, route } from '../state/route.ts'
import {
  anEntry,
  change,
  click,
  draw,
  enter,
  press,
  showPool,
  showRefresh,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { views } from '../views/view-table.ts'
import { Palette } from './palette.tsx'

let place: HTMLElement
const onClose = vi.fn()
const writeText = vi.fn(async (_text: string) => undefined)
const field = () => place.querySelector('input')
const offered = () => wordsOfEach(place, '[role=option]')
const chosen = () => wordsOf(place.querySelector('[aria-selected=true]'))

/** Types the words and presses Enter. */
function order(words: string): void {
  enter(field(), words)
  press('Enter')
}

beforeEach(() => {
  Object.defineProperty(globalThis, 'navigator', {
    configurable: true,
    value: { clipboard: { writeText } },
  })
  showPool([anEntry('ana'), anEntry('bob')])
  place = draw(h(Palette, { onClose }))
  field()?.focus()
})
afterEach(() => {
  vi.clearAllMocks()
})

describe('the palette', () => {
  it('offers the views first, then the actions, then the accounts', () => {
    expect(offered().slice(0, views.length)).toEqual(views.map(({ title }) => title))
    expect(offered().slice(-2)).toEqual(['ana@example.com', 'bob@example.com'])
  })

  it('takes the filters back that hide the row of the account it goes to', () => {
    query.value = 'ana'
    order('bob')
    expect([route.value.account, query.value]).toEqual(['index-bob', ''])

    query.value = 'ana'
    order('ana')
    expect([route.value.account, query.value]).toEqual(['index-ana', 'ana'])
    query.value = ''
  })

  it.each([
    { words: 'stat', view: 'stats', account: null },
    { words: 'BOB', view: 'accounts', account: 'index-bob' },
    { words: 'example ana', view: 'accounts', account: 'index-ana' },
  ])('goes by "$words" to $view', ({ words, view, account }) => {
    order(words)

    expect(route.value).toEqual({ view, account })
    expect(onClose).toHaveBeenCalledTimes(1)
  })

  it.each([
    { words: 'accounts needs you', address: '#accounts?f=needs' },
    { words: 'accounts plus', address: '#accounts?plan=plus' },
    { words: 'accounts waiting', address: '#accounts?status=wait' },
    { words: 'group plan', address: '#accounts?group=plan' },
    { words: 'accounts quota used up', address: '#accounts?by=quota_exhausted_5h' },
    { words: 'subscription ends 7', address: '#accounts?paid=soon' },
  ])('narrows the table by "$words"', ({ words, address }) => {
    const soon = { subscribedUntil: fromNow(86_400) }
    change(() => showPool([anEntry('ana', {}, soon), anEntry('cyd', { fiveHour: 0 })]))
    order(words)

    expect(location.hash).toBe(address)
  })

  it('offers a filter once where a state and its cause have the same name', () => {
    change(() => showPool([anEntry('ana'), anEntry('bob', {}, { operatorDisabled: true })]))
    enter(field(), 'disabled')

    expect(offered()).toEqual(['Accounts: Disabled'])
  })

  it('takes other filters back when it narrows the table by one', () => {
    change(() => goTo('#accounts?q=ana&f=blocked'))
    order('accounts plus')

    expect(location.hash).toBe('#accounts?plan=plus')
  })

  it('does what the page can do', () => {
    order('privacy')
    expect(privacy.value).toBe(true)
    order('theme')
    expect(theme.value).toBe('light')
  })

  it.each([
    { hash: '#overview', isRunning: false, texts: ['Refresh all accounts'] },
    {
      hash: '#accounts/index-ana',
      isRunning: false,
      texts: ['Refresh all accounts', 'Refresh this account'],
    },
    { hash: '#accounts/index-ana', isRunning: true, texts: ['Cancel the refresh'] },
  ])('offers at $hash, while one runs: $isRunning, $texts', ({ hash, isRunning, texts }) => {
    change(() => {
      location.hash = hash
    })
    if (isRunning) showRefresh({ status: 'running' })
    enter(field(), 'refresh')

    expect(offered()).toEqual(texts)
  })

  it('copies a command, and works where the browser lets no page copy', () => {
    order('copy command')
    expect(writeText).toHaveBeenCalledWith('curl -s http://127.0.0.1:8788/api/v1/recommendations')
    Object.defineProperty(globalThis, 'navigator', { configurable: true, value: {} })
    order('copy command')

    expect(writeText).toHaveBeenCalledTimes(1)
  })

  it('is gone through with the arrows, round both ends', () => {
    enter(field(), 'example')
    expect(chosen()).toBe('ana@example.com')
    const steps = ['ArrowDown', 'ArrowDown', 'ArrowUp'].map((key) => {
      press(key)
      return [chosen(), field()?.getAttribute('aria-activedescendant')]
    })

    expect(steps).toEqual([
      ['bob@example.com', 'command-1'],
      ['ana@example.com', 'command-0'],
      ['bob@example.com', 'command-1'],
    ])
  })

  it('takes a press on what it offers, and leaves other keys to the field', () => {
    click(place.querySelectorAll('[role=option]')[1])
    expect(route.value.view).toBe(views[1]?.id)
    expect(press('a')).toBe(false)
  })

  it('says that nothing has that name, and then Enter does nothing', () => {
    order('zzz')

    expect(wordsOf(place.querySelector('[role=status]'))).toBe('Nothing of that name.')
    expect(onClose).not.toHaveBeenCalled()
  })

  it('knows an account in private by the name that is shown', () => {
    change(() => {
      privacy.value = true
    })

    expect(offered().join(' ')).not.toContain('@example')
    expect(offered().at(-1)).toMatch(/^user-[0-9a-f]{4}$/)
  })
})
