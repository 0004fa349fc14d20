import '../testing/browser.ts'
import { signal } from '@preact/signals'
import { h } from 'preact'
import { afterEach, expect, it } from 'vitest'
import { change, clearPage, draw } from '../testing/page.ts'
import { Changing } from './changing.tsx'

afterEach(clearPage)

it('a text is marked with each change, in an element of its own, and not before', () => {
  const text = signal('1.0')
  const place = draw(h(() => h(Changing, { text: text.value }), {}))
  const drawn = () => place.querySelector('span')
  const show = (next: string) => {
    change(() => {
      text.value = next
    })
    return drawn()
  }

  expect([drawn()?.textContent, drawn()?.className]).toEqual(['1.0', ''])
  const second = show('2.0')
  expect([second?.textContent, second?.className]).toEqual(['2.0', 'changed'])
  expect(show('2.0')).toBe(second)
  expect(show('3.0')).not.toBe(second)
})
