import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { theme } from '../state/display-state.ts'
import { change, click, draw, elementsOf, enter, wordsOf, wordsOfEach } from '../testing/page.ts'
import { Menu } from './header.tsx'
import { openSheet } from './lazy-sheets.tsx'

let place: HTMLElement
const item = (words: string) =>
  elementsOf(place, '.popup button').find((button) => wordsOf(button).startsWith(words))

beforeEach(() => {
  place = draw(h(Menu, {}))
})
afterEach(() => {
  openSheet.value = null
})

describe('the menu', () => {
  it('offers the themes and has the one that is chosen checked', () => {
    const themes = elementsOf<HTMLInputElement>(place, '.popup input')
    expect(wordsOfEach(place, '.popup label')).toEqual(['System', 'Light', 'Dark', 'High contrast'])
    enter(themes[3] ?? null, 'on', 'change')

    expect(theme.value).toBe('eink')
    expect(themes.map((input) => input.checked)).toEqual([false, false, false, true])
  })

  it.each([
    { words: 'Go to or do', sheet: 'palette' },
    { words: 'Keyboard shortcuts', sheet: 'shortcuts' },
    { words: 'What the words mean', sheet: 'glossary' },
    { words: 'Route by the ranking', sheet: 'routing' },
  ])('opens "$words", and closes', ({ words, sheet }) => {
    const menu = place.querySelector('details')
    change(() => {
      if (menu !== null) menu.open = true
    })
    click(item(words))

    expect([openSheet.value, menu?.open]).toEqual([sheet, false])
  })
})
