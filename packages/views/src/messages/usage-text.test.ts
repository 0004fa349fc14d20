import { describe, expect, it } from 'vitest'
import { english } from './en/catalogue.ts'
import { failureRateText, perMinute, rateTexts, totalTexts, usageLine } from './usage-text.ts'

const used = (requests: number, tokens = 0, failed = 0) => ({ requests, tokens, failed })

describe('usage in words', () => {
  it('has a thousands mark for requests and a short form for tokens', () => {
    expect(totalTexts(used(1_204, 12_450_000, 12), english)).toEqual({
      requestText: '1,204 req',
      tokenText: '12.5M tok',
      failureRateText: '1.0%',
    })
  })

  it.each([
    { requests: 0, failed: 0, text: '–' },
    { requests: 3, failed: 0, text: '0.0%' },
    { requests: 3, failed: 1, text: '33.3%' },
    { requests: 3, failed: 3, text: '100.0%' },
  ])('$failed failed of $requests read $text', ({ requests, failed, text }) => {
    expect(failureRateText(used(requests, 0, failed))).toBe(text)
  })

  it.each([
    { requests: 30, minutes: 15, text: '2.0/min' },
    { requests: 1, minutes: 15, text: '0.1/min' },
    { requests: 9_999, minutes: 10, text: '999.9/min' },
    { requests: 9_999.6, minutes: 10, text: '1.0k/min' },
    { requests: 5, minutes: 0, text: '0.0/min' },
  ])('$requests requests in $minutes min are $text', ({ requests, minutes, text }) => {
    expect(rateTexts(used(requests), minutes, english).requestText).toBe(text)
  })

  it('counts nothing by the minute before any time has passed', () => {
    expect([perMinute(7, 0), perMinute(7, 2)]).toEqual([0, 3.5])
  })

  it.each([
    { range: '24h', end: 'in the last 24 h' },
    { range: '30d', end: 'in the last 30 days' },
    { range: 'all', end: 'in all' },
  ] as const)('of the range $range ends in "$end"', ({ range, end }) => {
    expect(usageLine(used(2, 40), range, english)).toBe(`2 req · 40 tok ${end}`)
  })
})
