import { signal } from '@preact/signals'
import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { privacy } from '../state/display-state.ts'
import { dispatch } from '../testing/browser.ts'
import { change, click, draw, wordsOf, wordsOfEach } from '../testing/page.ts'
import { terms } from '../words/terms.ts'
import { Changing, Coded, Marked, Name, Term } from './text.tsx'

describe('a name', () => {
  it('keeps what tells two of one name apart out of what may be cut', () => {
    const name = draw(h(Name, { text: 'ana@example.com · Team' }))

    expect(wordsOf(name.querySelector('bdi'))).toBe('ana@example.com')
    expect(wordsOf(name.querySelector('.suffix'))).toBe('· Team')
  })

  it('is whole where it may wrap', () => {
    const name = draw(h(Name, { text: 'ana@example.com · Team', wraps: true }))

    expect(wordsOf(name.querySelector('bdi.wraps'))).toBe('ana@example.com · Team')
    expect(name.querySelectorAll('.suffix')).toHaveLength(0)
  })

  it('hides addresses in private, in its title as well, and shows them again', () => {
    const name = draw(h(Name, { text: 'ana@example.com · Team' }))
    const shownAndTitled = () => [
      wordsOf(name),
      name.querySelector('bdi')?.getAttribute('title') ?? '',
    ]
    expect(shownAndTitled()).toEqual(['ana@example.com · Team', 'ana@example.com'])

    change(() => {
      privacy.value = true
    })
    expect(shownAndTitled().join(' ')).not.toMatch(/ana|@example/)

    change(() => {
      privacy.value = false
    })
    expect(shownAndTitled()[1]).toBe('ana@example.com')
  })

  it.each([
    { text: 'שם', dir: 'auto' },
    { text: 'أحمد.نور@example.com', dir: 'ltr' },
    { text: 'أحمد.نور@example.com · Plus', dir: 'ltr' },
  ])('is isolated from the direction of the text around it: $text is $dir', ({ text, dir }) => {
    expect(draw(h(Name, { text })).querySelector('bdi')?.getAttribute('dir')).toBe(dir)
  })
})

describe('a text with marks', () => {
  it.each([
    { text: 'None.', words: 'None.', marked: [] },
    { text: '*0.7 Plus* at 10:40', words: '0.7 Plus at 10:40', marked: ['0.7 Plus'] },
    { text: 'left: *32 min*', words: 'left: 32 min', marked: ['32 min'] },
  ])('draws what is marked in "$text"', ({ text, words, marked }) => {
    const place = draw(h(Marked, { text, children: (part) => h('b', { key: part }, part) }))

    expect(wordsOf(place)).toBe(words)
    expect(wordsOfEach(place, 'b')).toEqual(marked)
  })
})

describe('a text with code in it', () => {
  it.each([
    { text: 'No code.', words: 'No code.', code: [] },
    { text: 'Run `doctor`.', words: 'Run doctor .', code: ['doctor'] },
    { text: '`a` and `b`', words: 'a and b', code: ['a', 'b'] },
  ])('shows no backtick of "$text"', ({ text, words, code }) => {
    const place = draw(h(Coded, { text }))

    expect(wordsOf(place)).toBe(words)
    expect(wordsOfEach(place, 'code')).toEqual(code)
  })
})

it('a text is marked with each change, from the letter that changed, and not before', () => {
  const text = signal('1.0')
  const place = draw(h(() => h(Changing, { text: text.value }), {}))
  const drawn = () => place.querySelector('.changed')
  const show = (next: string) => {
    change(() => {
      text.value = next
    })
    return drawn()
  }

  expect([place.textContent, drawn()]).toEqual(['1.0', null])
  const second = show('1.2')
  expect([place.textContent, second?.textContent]).toEqual(['1.2', '2'])
  expect(show('1.2')).toBe(second)
  expect(show('1.3')).not.toBe(second)
  expect([show('21.3')?.textContent, place.textContent]).toEqual(['21.3', '21.3'])
})

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
