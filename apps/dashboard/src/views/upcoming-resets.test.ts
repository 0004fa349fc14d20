import { anAccount } from '@svc/core/testing'
import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { anEntry, draw, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import { UpcomingResets } from './upcoming-resets.tsx'

const list = () => draw(h(UpcomingResets, {}))

describe('what comes back', () => {
  it('says so where no reset is known', () => {
    showPool([])

    expect(wordsOf(list().querySelector('.empty'))).toBe('No reset times known yet.')
  })

  it.each([
    { unread: 1, title: 'Comes back' },
    { unread: 2, title: 'Comes back, at least' },
  ])('is called $title with $unread of 7 accounts unread', ({ unread, title }) => {
    const read = Array.from({ length: 7 - unread }, (_, index) =>
      anEntry(`user${index}`, { fiveHour: 0, resetsInSeconds: 600 }),
    )
    const others = Array.from(
      { length: unread },
      (_, index) => [anAccount(`other${index}`), null] as const,
    )
    showPool([...read, ...others])

    expect(wordsOf(list().querySelector('h2'))).toBe(title)
  })

  it('is listed by quarters of an hour in a large pool, each from when to when', () => {
    const names = Array.from({ length: 90 }, (_, index) => `user${index}`)
    showPool(
      names.map((name, index) => anEntry(name, { fiveHour: 0, resetsInSeconds: (index + 1) * 60 })),
    )
    const rows = wordsOfEach(list(), '.returns li')

    expect(rows.slice(0, 2)).toEqual([
      '1min +14.0 5h 14 accounts 20:01 – 20:14',
      '15min +15.0 5h 15 accounts 20:15 – 20:29',
    ])
  })

  it('has more rows for a tall screen, and no more than those', () => {
    const names = Array.from({ length: 20 }, (_, index) => `user${index}`)
    showPool(
      names.map((name, index) =>
        anEntry(name, { fiveHour: 0, resetsInSeconds: (index + 1) * 3_600 }),
      ),
    )
    const place = list()

    expect(place.querySelectorAll('li')).toHaveLength(11)
    expect(place.querySelectorAll('li.more')).toHaveLength(5)
  })
})
