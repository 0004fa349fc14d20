import '../testing/browser.ts'
import { createElement } from 'preact'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { change, clearPage, draw, wordsOf } from '../testing/page.ts'
import { useGrowingCount } from './growing-rows.ts'

const Counted = ({ count }: { readonly count: number }) =>
  createElement('p', null, String(useGrowingCount(count)))

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  clearPage()
  vi.useRealTimers()
})

const nextPicture = () => change(() => void vi.advanceTimersByTime(0))

it.each([
  { count: 7, pictures: ['7', '7'] },
  { count: 40, pictures: ['40', '40'] },
  { count: 41, pictures: ['40', '41', '41'] },
  { count: 100, pictures: ['40', '80', '100', '100'] },
])('of $count rows as many are drawn, picture by picture, as $pictures', ({ count, pictures }) => {
  const place = draw(createElement(Counted, { count }))
  for (const [index, picture] of pictures.entries()) {
    if (index > 0) nextPicture()
    expect(wordsOf(place)).toBe(picture)
  }
})

it('no more are drawn of what is no longer shown', () => {
  draw(createElement(Counted, { count: 100 }))
  clearPage()

  expect(vi.getTimerCount()).toBe(0)
})
