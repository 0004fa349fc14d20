import { fixedClock, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createPopPace } from './pop-pace.ts'

const aPace = () => {
  const time = { ms: 0 }
  return { time, pace: createPopPace({ ...fixedClock(NOW), monotonicMs: () => time.ms }) }
}
const asked = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

describe('the pace of pops', () => {
  it.each([
    ['full of new records: more wait', 500, 500, true],
    ['full, with some that were known: more wait', 500, 250, true],
    ['full of what is known: nothing more to get', 500, 0, false],
    ['mostly known', 500, 249, false],
    ['not full', 499, 499, false],
    ['empty', 0, 0, false],
  ])('%s', (_, elementCount, storedCount, more) => {
    const { pace } = aPace()
    pace.note({ asked: asked(pace.counts()), elementCount, storedCount })
    expect(pace.moreWait()).toBe(more)
    expect(pace.counts()).toEqual([more ? 1_000 : 500])
  })

  it('asks for more while more wait, within a limit, and for little again after that', () => {
    const { pace } = aPace()
    for (let pop = 0; pop < 5; pop += 1) {
      const count = asked(pace.counts())
      pace.note({ asked: count, elementCount: count, storedCount: count })
    }
    expect(pace.counts()).toEqual([2_000])
    pace.reset()
    expect([pace.counts(), pace.moreWait()]).toEqual([[500], false])
  })

  it.each([
    ['a thousand a second is no more than pops alone take', 10_000, 0, [500]],
    ['one record more, and several pops are stored together', 10_001, 0, [2_000, 2_000]],
    ['until ten seconds later', 10_001, 9_999, [2_000, 2_000]],
    ['that is over', 10_001, 10_000, [500]],
  ])('%s', (_, storedCount, afterMs, counts) => {
    const { pace, time } = aPace()
    pace.note({ asked: 20_000, elementCount: storedCount, storedCount })
    time.ms += afterMs
    expect(pace.counts()).toEqual(counts)
  })

  it('takes little at a time again when a pop has failed, however fast it was', () => {
    const { pace } = aPace()
    pace.note({ asked: 20_000, elementCount: 20_000, storedCount: 20_000 })
    pace.reset()
    expect(pace.counts()).toEqual([500])
  })
})
