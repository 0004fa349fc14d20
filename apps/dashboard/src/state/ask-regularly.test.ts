import '../testing/browser.ts'
import { describe, expect, it } from 'vitest'
import { askAllNow, askRegularly } from './ask-regularly.ts'

const EVERY_MS = 3_600_000

describe('asking regularly', () => {
  it('asks at once, and again whenever somebody wants everything now, until it is ended', () => {
    const asked: string[] = []
    const stops: AbortSignal[] = []
    const endOne = askRegularly((stop) => {
      asked.push('one')
      stops.push(stop)
    }, EVERY_MS)
    const endOther = askRegularly(() => asked.push('other'), EVERY_MS)
    askAllNow()
    expect(asked).toEqual(['one', 'other', 'one', 'other'])

    endOne()
    askAllNow()
    endOther()
    askAllNow()
    expect(asked).toEqual(['one', 'other', 'one', 'other', 'other'])
    expect(stops.map(({ aborted }) => aborted)).toEqual([true, true])
  })
})
