import { virtualClock } from '@svc/core/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { aCliContext } from '../testing/run-for-test.ts'
import { progressLine } from './progress-line.ts'

const CLEAR = '\r\u001b[K'
let clock = virtualClock(async () => undefined)
let shown: string[]
beforeEach(() => {
  clock = virtualClock(async () => undefined)
  shown = []
})
const line = (stderrIsTerminal = true) =>
  progressLine(
    aCliContext({ clock, stderrIsTerminal, stderr: (text) => void shown.push(text) }),
    'imported',
  )

describe('the line of progress', () => {
  it('shows what is done, its share and the rate', async () => {
    const progress = line()
    await clock.advance(2_000)
    progress.show({ rows: 3_000, total: 9_000 })

    expect(shown).toEqual([`${CLEAR}3,000 of 9,000 imported (33 %, 1,500/s)`])
  })

  it('is written five times a second at most', async () => {
    const progress = line()
    progress.show({ rows: 1, total: 10 })
    await clock.advance(199)
    progress.show({ rows: 2, total: 10 })
    await clock.advance(1)
    progress.show({ rows: 3, total: 10 })

    expect(shown.map((text) => /\d+ of/.exec(text)?.[0])).toEqual(['1 of', '3 of'])
  })

  it('shows only what was read while the whole is not known', () => {
    line().show({ rows: 2_000, total: null })

    expect(shown).toEqual([`${CLEAR}2,000 read`])
  })

  it('is at 100 % when there is nothing to do', () => {
    line().show({ rows: 0, total: 0 })

    expect(shown[0]).toContain('(100 %')
  })

  it('is cleared only when it was shown', () => {
    const [used, unused] = [line(), line()]
    used.show({ rows: 1, total: 2 })
    shown = []
    unused.end()
    expect(shown).toEqual([])
    used.end()

    expect(shown).toEqual([CLEAR])
  })

  it('is not written without a terminal', () => {
    const progress = line(false)
    progress.show({ rows: 1, total: 2 })
    progress.end()

    expect(shown).toEqual([])
  })
})
