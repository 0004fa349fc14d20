import { virtualClock } from '@svc/core/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { redactProgress } from '../program/progress-line.ts'
import { aCliContext } from '../testing/run-for-test.ts'

const CLEAR = '\r\u001b[K'
let clock = virtualClock(async () => undefined)
let shown: string[]
beforeEach(() => {
  clock = virtualClock(async () => undefined)
  shown = []
})
const progressOn = (stderrIsTerminal: boolean) =>
  redactProgress(aCliContext({ clock, stderrIsTerminal, stderr: (text) => void shown.push(text) }))

describe('the progress of a redaction', () => {
  it('adds up the bytes of each step apart, also those that were not shown', async () => {
    const { show } = progressOn(true)
    show({ step: 'read', bytes: 1_500_000, file: 'a.log' })
    show({ step: 'read', bytes: 1_000_000, file: 'a.log' })
    await clock.advance(200)
    show({ step: 'read', bytes: 500_000, file: 'b.log' })
    await clock.advance(200)
    show({ step: 'written', bytes: 100_000, file: 'b\n.log' })

    expect(shown).toEqual([
      `${CLEAR}1.5 MB read`,
      `${CLEAR}3.0 MB read`,
      `${CLEAR}0.1 MB written, b\\u{a}.log`,
    ])
  })

  it('says at once that what was read is being prepared', () => {
    const { show } = progressOn(true)
    show({ step: 'read', bytes: 1_500_000, file: 'a.log' })
    show({ step: 'read', bytes: 500_000, file: 'a.log' })
    show({ step: 'preparing' })

    expect(shown).toEqual([`${CLEAR}1.5 MB read`, `${CLEAR}2.0 MB read, preparing`])
  })
})
