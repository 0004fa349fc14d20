import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { status } from '../state/live-data.ts'
import { dispatch } from '../testing/browser.ts'
import { anEntry, change, click, draw, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import { ResetTable } from './reset-table.tsx'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.useRealTimers()
})

/** 60 accounts or more: 50 return in one minute, one later, nine are full. */
function showMany(moreMinutes = 0) {
  showPool([
    ...Array.from({ length: 50 }, (_, index) =>
      anEntry(`back${index}`, { fiveHour: 0, resetsInSeconds: 600 + index }),
    ),
    ...Array.from({ length: moreMinutes }, (_, index) =>
      anEntry(`more${index}`, { fiveHour: 0, resetsInSeconds: 660 + index * 60 }),
    ),
    anEntry('late', { fiveHour: 0, resetsInSeconds: 9_000 }),
    ...Array.from({ length: 9 }, (_, index) => anEntry(`full${index}`, { fiveHour: 100 })),
  ])
}

function table() {
  const [column] = status.value?.tabs.resets.columns ?? []
  if (column === undefined) throw new Error('there is no column')
  return draw(h(ResetTable, { column, hours: 6 }))
}

describe('the table of resets of a large pool', () => {
  it('has what comes back together on one line, and what returns nothing by the reason', () => {
    showMany()

    expect(wordsOfEach(table(), 'tbody tr')).toEqual([
      '10min 20:10 50 accounts +50.0',
      '2h 30min 22:30 late@example.com +1.0 0%',
      '9 accounts full: nothing gained 0',
    ])
  })

  it('opens a line and closes it again, and says which it is and whether it is open', () => {
    showMany()
    const place = table()
    const button = () => place.querySelector('.opens')
    expect(button()?.getAttribute('aria-expanded')).toBe('false')
    expect(button()?.getAttribute('aria-label')).toBe('50 accounts: 20:10')
    click(button())
    expect(button()?.getAttribute('aria-expanded')).toBe('true')
    expect(wordsOf(place.querySelectorAll('tbody tr')[1] ?? null)).toBe(
      '10min 20:10 back0@example.com +1.0 0%',
    )
    // The remaining rows are drawn in the next frame.
    expect(place.querySelectorAll('tbody tr')).toHaveLength(43)
    change(() => void vi.advanceTimersByTime(0))
    expect(place.querySelectorAll('tbody tr')).toHaveLength(53)
    click(button())
    expect(place.querySelectorAll('tbody tr')).toHaveLength(3)
  })

  it('says all of it on paper, and no more than before after it', () => {
    showMany()
    const place = table()
    change(() => void dispatch(null, 'beforeprint'))
    expect(place.querySelectorAll('tbody .account')).toHaveLength(60)

    change(() => void dispatch(null, 'afterprint'))
    expect(place.querySelectorAll('tbody .account')).toHaveLength(1)
  })
})
