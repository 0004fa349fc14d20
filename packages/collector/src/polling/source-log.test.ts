import type { LogFields } from '@svc/core/service'
import { silentLog, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createSourceLog } from './source-log.ts'

const ok = { kind: 'ok' } as const
const fails = (code: 'timeout' | 'unreachable') =>
  ({ kind: 'failed', code, message: 'why' }) as const

function aLog() {
  const clock = virtualClock(() => Promise.resolve())
  const lines: string[] = []
  const keep = (event: string, fields: LogFields = {}) =>
    lines.push([event, fields.code, fields.changes].filter(Boolean).join(' '))
  const tell = createSourceLog('accounts', { clock, log: { ...silentLog, info: keep, warn: keep } })
  return { clock, lines, tell }
}

describe('the log of a source', () => {
  it('tells a change after a quiet minute at once, and a steady good state never again', async () => {
    const { clock, lines, tell } = aLog()
    tell(ok)
    await clock.advance(60_000)
    tell(ok)
    tell(fails('timeout'))
    await clock.advance(60_000)
    tell(ok)

    expect(lines).toEqual(['source answers', 'source fails timeout', 'source answers'])
  })

  it('repeats a standing failure once a minute', async () => {
    const { clock, lines, tell } = aLog()
    for (let second = 0; second < 180; second += 5) {
      tell(fails('timeout'))
      await clock.advance(5_000)
    }

    expect(lines).toEqual(Array.from({ length: 3 }, () => 'source fails timeout'))
  })

  it('keeps to one line a minute when the source flaps, and counts every change', async () => {
    const { clock, lines, tell } = aLog()
    for (let second = 0; second < 120; second += 5) {
      tell(second % 10 === 0 ? ok : fails('unreachable'))
      await clock.advance(5_000)
    }

    expect(lines).toEqual([
      'source answers',
      'source fails unreachable 11',
      'source fails unreachable 12',
    ])
  })

  it('tells a change within the quiet minute at its end, though nothing is asked any more', async () => {
    const { clock, lines, tell } = aLog()
    tell(ok)
    await clock.advance(10_000)
    tell(fails('timeout'))
    await clock.advance(50_000)
    expect(lines).toEqual(['source answers', 'source fails timeout'])
    await clock.advance(10_000)
    tell(ok)
    await clock.advance(49_999)
    expect(lines).toHaveLength(2)
    await clock.advance(1)
    await clock.advance(600_000)

    expect(lines).toEqual(['source answers', 'source fails timeout', 'source answers'])
  })

  it('tells that a source has failed and recovered within the quiet minute', async () => {
    const { clock, lines, tell } = aLog()
    tell(ok)
    await clock.advance(10_000)
    tell(fails('timeout'))
    await clock.advance(10_000)
    tell(ok)
    await clock.advance(60_000)
    tell(ok)

    expect(lines).toEqual(['source answers', 'source answers 2'])
  })

  it('counts a failure of another kind as a change', async () => {
    const { clock, lines, tell } = aLog()
    tell(fails('timeout'))
    tell(fails('unreachable'))
    await clock.advance(60_000)
    tell(fails('unreachable'))
    await clock.advance(60_000)
    tell(fails('timeout'))

    expect(lines).toEqual([
      'source fails timeout',
      'source fails unreachable',
      'source fails timeout',
    ])
  })
})
