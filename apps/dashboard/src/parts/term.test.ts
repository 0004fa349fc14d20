import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { dispatch } from '../testing/browser.ts'
import { change, clearPage, click, draw, wordsOf } from '../testing/page.ts'
import { terms } from '../words/terms.ts'
import { Term } from './term.tsx'

afterEach(clearPage)

describe('a word with a meaning', () => {
  const drawn = () => {
    const place = draw(h(Term, { id: 'plus' }))
    const button = place.querySelector('button')
    if (button === null) throw new Error('there is no button')
    const send = (type: string, details = {}) => change(() => void dispatch(button, type, details))
    return { place, button, send, meaning: () => wordsOf(place.querySelector('[role=tooltip]')) }
  }

  it.each(['focus', 'click', 'mouseenter'])('says it on %s', (type) => {
    const { send, meaning } = drawn()
    expect(meaning()).toBe('')

    send(type)
    expect(meaning()).toBe(terms.plus.meaning)
  })

  it.each([
    { type: 'blur', details: {} },
    { type: 'mouseleave', details: {} },
    { type: 'keydown', details: { key: 'Escape' } },
  ])('is silent again after $type', ({ type, details }) => {
    const { button, send, meaning } = drawn()
    click(button)

    send(type, details)
    expect(meaning()).toBe('')
  })

  it('is described by its meaning while that shows, and by nothing else', () => {
    const { place, button, send } = drawn()
    expect(button.getAttribute('aria-describedby')).toBeNull()

    send('focus')
    expect(button.getAttribute('aria-describedby')).toBe(
      place.querySelector('[role=tooltip]')?.getAttribute('id'),
    )
  })
})
