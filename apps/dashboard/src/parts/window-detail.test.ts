import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { anEntry, draw, showPool, wordsOf } from '../testing/page.ts'
import { scopedTitle, WindowDetail } from './drawer-sections.tsx'

const window = {
  id: '5h',
  state: 'known',
  percent: 100,
  resetsInSeconds: null,
  stale: true,
} as const

describe('the details of a window', () => {
  it.each([
    {
      what: 'a reset that no reading has shown yet',
      changes: { rolledOver: true },
      words:
        '5h 100% left 1.0 of 1 Plus. Its reset has passed, which no reading has confirmed yet.',
    },
    {
      what: 'used up without a time',
      changes: { state: 'exhausted', percent: 0 } as const,
      words: '5h 0% 0.0 of 1 Plus. no time',
    },
    {
      what: 'not read',
      changes: { state: 'unknown', percent: null } as const,
      words: '5h ?',
    },
  ])('say $what in words', ({ changes, words }) => {
    showPool([anEntry('ana')])
    const place = draw(
      h(WindowDetail, { title: '5h', window: { ...window, ...changes }, weight: 1 }),
    )

    expect(wordsOf(place)).toBe(words)
  })
})

it.each([
  { id: 'extra:codex_bengalfox:week', title: 'codex bengalfox, weekly' },
  { id: 'code_review:week', title: 'code review, weekly' },
  { id: 'code_review:5h', title: 'code review, 5h' },
  { id: 'extra:new_model:day', title: 'new model, daily' },
  { id: 'spend', title: 'spend' },
])('the limit $id is called "$title"', ({ id, title }) => {
  expect(scopedTitle(id)).toBe(title)
})
