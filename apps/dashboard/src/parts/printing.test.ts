import '../testing/browser.ts'
import { createElement } from 'preact'
import { afterEach, expect, it } from 'vitest'
import { dispatch } from '../testing/browser.ts'
import { change, clearPage, draw, wordsOf } from '../testing/page.ts'
import { usePrinting } from './printing.ts'

afterEach(clearPage)

it('says that the page is being printed, from its begin to its end', () => {
  const place = draw(createElement(() => createElement('p', null, String(usePrinting())), null))
  expect(wordsOf(place)).toBe('false')
  change(() => void dispatch(null, 'beforeprint'))
  expect(wordsOf(place)).toBe('true')
  change(() => void dispatch(null, 'afterprint'))
  expect(wordsOf(place)).toBe('false')
})
