import { h } from 'preact'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { privacy, singleKeys, theme } from '../state/display-state.ts'
import { route } from '../state/route.ts'
import { draw, enter, press, wordsOf, wordsOfEach } from '../testing/page.ts'
import { views } from '../views/view-table.ts'
import { Shortcuts } from './further-sheets.tsx'
import { openSheet } from './lazy-sheets.tsx'
import { followKeys } from './shortcuts.ts'

beforeAll(followKeys)
afterEach(() => {
  openSheet.value = null
})

const field = (name: string, type = 'text') => {
  const element = document.createElement(name)
  element.setAttribute('type', type)
  return element
}

describe('single keys', () => {
  it.each(views.map(({ id, key }) => ({ id, key })))('$key goes to $id', ({ id, key }) => {
    press(key ?? '')

    expect(route.value.view).toBe(id)
  })

  it('of a view take the focus to it', () => {
    const view = field('div')
    view.setAttribute('id', 'view')
    document.body.append(view)
    press('2')

    expect(document.activeElement).toBe(view)
    view.remove()
  })

  it('hide addresses, go through the themes and open the sheet', () => {
    press('p')
    const themes = [...'tttt'].map((key) => {
      press(key)
      return theme.value
    })
    press('?')

    expect([privacy.value, openSheet.value]).toEqual([true, 'shortcuts'])
    expect(themes).toEqual(['light', 'dark', 'eink', 'system'])
  })

  it('lead to the search, and the letter is not typed into it', () => {
    const search = field('input')
    search.setAttribute('id', 'search')
    document.body.append(search)

    expect(press('/')).toBe(true)
    expect(route.value.view).toBe('accounts')
    expect(document.activeElement).toBe(search)
    search.remove()
  })

  it.each([
    { what: 'an unknown key', key: 'x', details: {} },
    { what: 'a key that is held with Control', key: 'p', details: { ctrlKey: true } },
    { what: 'one with Command', key: 'p', details: { metaKey: true } },
    { what: 'one with Alt', key: 'p', details: { altKey: true } },
  ])('are not $what', ({ key, details }) => {
    press(key, details)

    expect([privacy.value, route.value.view]).toEqual([false, ''])
  })

  it.each([
    { name: 'input', type: 'text', isHeard: false },
    { name: 'input', type: 'search', isHeard: false },
    { name: 'select', type: '', isHeard: false },
    { name: 'textarea', type: '', isHeard: false },
    { name: 'input', type: 'radio', isHeard: true },
    { name: 'input', type: 'checkbox', isHeard: true },
    { name: 'button', type: '', isHeard: true },
  ])('in $name of type "$type" are heard: $isHeard', ({ name, type, isHeard }) => {
    const element = field(name, type)
    document.body.append(element)
    element.focus()
    press('p')
    element.remove()

    expect(privacy.value).toBe(isHeard)
  })

  it('can be switched off', () => {
    singleKeys.value = false
    press('p')

    expect(privacy.value).toBe(false)
  })
})

describe('the sheet of keys', () => {
  it('lists the keys of the views first, then the others', () => {
    const [first, ...others] = wordsOfEach(draw(h(Shortcuts, { onClose() {} })), '.pairs div')

    expect(first).toBe('Views 1 – 6')
    expect(others).toContain('Search accounts /')
    expect(others).toContain('This sheet ?')
  })

  it('switches single keys off', () => {
    const place = draw(h(Shortcuts, { onClose() {} }))
    enter(place.querySelector('input'), 'off', 'change')

    expect(singleKeys.value).toBe(false)
    expect(wordsOf(place.querySelector('.check'))).toBe('Single-key shortcuts')
  })
})
