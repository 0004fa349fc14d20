import { describe, expect, it } from 'vitest'
import { createPopPace } from './pop-pace.ts'

describe('the pace of pops', () => {
  it.each([
    ['full of new records: more wait', 500, 500, true],
    ['full, with some that were known: more wait', 500, 250, true],
    ['full of what is known: nothing more to get', 500, 0, false],
    ['mostly known', 500, 249, false],
    ['not full', 499, 499, false],
    ['empty', 0, 0, false],
  ])('%s', (_, elementCount, storedCount, more) => {
    const pace = createPopPace()
    pace.note({ asked: pace.count(), elementCount, storedCount })
    expect(pace.moreWait()).toBe(more)
    expect(pace.count()).toBe(more ? 1_000 : 500)
  })

  it('asks for more while more wait, within a limit, and for little again after that', () => {
    const pace = createPopPace()
    for (let pop = 0; pop < 5; pop += 1)
      pace.note({ asked: pace.count(), elementCount: pace.count(), storedCount: pace.count() })
    expect(pace.count()).toBe(2_000)
    pace.reset()
    expect([pace.count(), pace.moreWait()]).toEqual([500, false])
  })
})
