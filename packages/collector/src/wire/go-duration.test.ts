import { describe, expect, it } from 'vitest'
import { parseGoDuration } from './go-duration.ts'

describe('parseGoDuration', () => {
  it.each([
    ['29m59s', 1799],
    ['30m0s', 1800],
    ['1h2m3s', 3723],
    ['12m3.5s', 723.5],
    ['850ms', 0.85],
    ['0s', 0],
    ['5µs', 5e-6],
    ['7ns', 7e-9],
  ])('%s is %d seconds', (text, seconds) => {
    expect(parseGoDuration(text)).toBeCloseTo(seconds, 9)
  })

  it.each(['', 's', '12', '-3m', '1d', '1m 2s', `${'9'.repeat(13)}h`])(
    '%s is no duration',
    (text) => {
      expect(parseGoDuration(text)).toBeNull()
    },
  )
})
