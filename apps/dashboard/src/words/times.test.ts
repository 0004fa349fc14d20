import { describe, expect, it } from 'vitest'
import * as english from './times.ts'
import * as chinese from './zh-cn/times.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

describe('times on the page', () => {
  it.each([
    { seconds: 8, inEnglish: '8 s', inChinese: '8 秒' },
    { seconds: 41 * 60, inEnglish: '41min', inChinese: '41 分钟' },
    { seconds: 3 * 86_400 + 4 * 3_600, inEnglish: '3d 4h', inChinese: '3 天 4 小时' },
  ])('$seconds s is $inEnglish and $inChinese', ({ seconds, inEnglish, inChinese }) => {
    expect(english.countingDurationText(seconds)).toBe(inEnglish)
    expect(chinese.countingDurationText(seconds)).toBe(inChinese)
  })

  it('a day is named in the language of the page, in the zone of the service', () => {
    const at = NOW + 2 * 86_400_000
    expect(english.createZone('Asia/Shanghai').momentText(at, NOW)).toBe('Sun 20:00')
    expect(chinese.createZone('Asia/Shanghai').momentText(at, NOW)).toBe('周日 20:00')
  })

  it.each([
    { seconds: 8, inEnglish: '8 s', inChinese: '8 秒' },
    { seconds: 23 * 3_600 + 59 * 60, inEnglish: '23h 59min', inChinese: '23 小时 59 分' },
    { seconds: 11 * 86_400 + 23 * 3_600, inEnglish: '11d 23h', inChinese: '11 天 23 小时' },
  ])('a column has $inEnglish and $inChinese', ({ seconds, inEnglish, inChinese }) => {
    expect(english.shortDurationText(seconds)).toBe(inEnglish)
    expect(chinese.shortDurationText(seconds)).toBe(inChinese)
  })

  it('each language says the same', () => {
    expect(Object.keys(chinese).toSorted()).toEqual(Object.keys(english).toSorted())
  })
})
