import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { privacy } from '../state/display-state.ts'
import { change, clearPage, draw, wordsOf } from '../testing/page.ts'
import { Name } from './name.tsx'

afterEach(() => {
  clearPage()
  privacy.value = false
})

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
