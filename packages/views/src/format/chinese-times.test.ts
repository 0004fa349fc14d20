import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chineseTimes, countingDurationText, durationText } from './chinese-times.ts'

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

describe('a duration in Chinese', () => {
  it.each([
    { seconds: -5, text: '不到 1 分钟', why: 'never negative' },
    { seconds: MINUTE - 1, text: '不到 1 分钟', why: 'last second below a minute' },
    { seconds: MINUTE, text: '1 分钟', why: 'first minute' },
    { seconds: HOUR - 1, text: '59 分钟', why: 'last second below an hour' },
    { seconds: HOUR, text: '1 小时', why: 'without a nought' },
    { seconds: 3 * HOUR + 5 * MINUTE, text: '3 小时 5 分钟', why: 'hours and minutes' },
    { seconds: DAY - 1, text: '23 小时 59 分钟', why: 'last second below a day' },
    { seconds: DAY, text: '1 天', why: 'first day' },
    { seconds: 2 * DAY + 4 * HOUR + 59 * MINUTE, text: '2 天 4 小时', why: 'rounded down' },
  ])('of $seconds s is $text ($why)', ({ seconds, text }) => {
    expect(durationText(seconds)).toBe(text)
  })

  it('says at most the time there is, and is off by less than the unit it ends in', () => {
    fc.assert(
      fc.property(fc.integer({ min: MINUTE, max: 400 * DAY }), (seconds) => {
        const said = secondsIn(durationText(seconds))
        expect(said).toBeLessThanOrEqual(seconds)
        expect(seconds - said).toBeLessThan(seconds < DAY ? MINUTE : HOUR)
      }),
    )
  })

  it.each([
    { seconds: -1, text: '0 秒' },
    { seconds: 59.9, text: '59 秒' },
    { seconds: 60, text: '1 分钟' },
  ])('that counts along writes $seconds s as $text', ({ seconds, text }) => {
    expect(countingDurationText(seconds)).toBe(text)
  })
})

it('a week has seven days, each with a name of its own', () => {
  expect(new Set(chineseTimes.weekdays).size).toBe(7)
})

function secondsIn(text: string): number {
  const [, days = 0, hours = 0, minutes = 0] =
    /^(?:(\d+) 天 ?)?(?:(\d+) 小时 ?)?(?:(\d+) 分钟)?$/.exec(text) ?? []
  return Number(days) * DAY + Number(hours) * HOUR + Number(minutes) * MINUTE
}
