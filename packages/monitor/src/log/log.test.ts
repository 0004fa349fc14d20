import { fixedClock, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createLog, escapeForLog } from './log.ts'

function recordingLog(
  options: {
    level?: 'debug' | 'info' | 'warn' | 'error'
    format?: 'text' | 'json'
    clock?: ReturnType<typeof fixedClock>
  } = {},
) {
  const lines: string[] = []
  const clock = options.clock ?? fixedClock()
  const log = createLog({
    level: options.level ?? 'info',
    format: options.format ?? 'text',
    write: (line) => lines.push(line),
    clock,
  })
  return { log, lines }
}

describe('log', () => {
  it('writes time, level, event and fields on one line', () => {
    const { log, lines } = recordingLog()

    log.info('listening', { host: '127.0.0.1', port: 4516 })

    expect(lines).toEqual(['2026-11-20T12:00:00.000Z info  listening host=127.0.0.1 port=4516\n'])
  })

  it('writes one JSON object a line in json format', () => {
    const { log, lines } = recordingLog({ format: 'json' })

    log.warn('poll failed', { source: 'accounts', code: 'timeout' })

    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: '2026-11-20T12:00:00.000Z',
      level: 'warn',
      event: 'poll failed',
      source: 'accounts',
      code: 'timeout',
    })
  })

  it('keeps a list a list in json format, and writes it as one value in text', () => {
    const fields = { actions: ['gateway_down', 'new\nline'], failing: [] }
    const json = recordingLog({ format: 'json' })
    const text = recordingLog()

    json.log.info('snapshot', fields)
    text.log.info('snapshot', fields)

    expect(JSON.parse(json.lines[0] ?? '')).toMatchObject({
      actions: ['gateway_down', 'new\\u000aline'],
      failing: [],
    })
    expect(text.lines[0]).toContain('snapshot actions="gateway_down, new\\u000aline" failing=""')
  })

  it('leaves null fields out of text, and keeps them null in json', () => {
    const json = recordingLog({ format: 'json' })
    const text = recordingLog()

    json.log.info('refresh ended', { result: 'completed', reason: null })
    text.log.info('refresh ended', { result: 'completed', reason: null })

    expect(JSON.parse(json.lines[0] ?? '')).toMatchObject({ reason: null })
    expect(text.lines[0]).toMatch(/refresh ended result=completed\n$/)
  })

  it('leaves out what is below its level', () => {
    const { log, lines } = recordingLog({ level: 'warn' })

    log.debug('a')
    log.info('b')
    log.warn('c')

    expect(lines).toHaveLength(1)
  })

  it.each([
    ['a line break', 'a\nb', 'a\\u000ab'],
    ['an ANSI escape', '\u001b[31mred', '\\u001b[31mred'],
    ['a C1 control', '\u0085x', '\\u0085x'],
    ['a bidirectional override', 'a\u202eb', 'a\\u202eb'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['a lone surrogate', '\ud800x', '\\ud800x'],
  ])('escapes %s', (_what, value, escaped) => {
    expect(escapeForLog(value)).toBe(escaped)
  })

  it('keeps letters of any script and emoji', () => {
    expect(escapeForLog('Žofie 🙂 שלום')).toBe('Žofie 🙂 שלום')
  })

  it('cuts a long value', () => {
    expect(escapeForLog('x'.repeat(600))).toHaveLength(513)
  })

  it('writes a repeating fault once a minute: the last one, when it was, and how many more were held back', async () => {
    const clock = virtualClock(async () => undefined)
    const { log, lines } = recordingLog({ clock })

    const fail = (attempt: number) =>
      log.warn('poll failed', { source: 'accounts', code: 'timeout', attempt })
    fail(0)
    await clock.advance(10_000)
    for (let attempt = 1; attempt < 4; attempt += 1) fail(attempt)
    log.warn('poll failed', { source: 'gateway', code: 'timeout' })
    await clock.advance(49_999)
    expect(lines).toHaveLength(2)
    await clock.advance(1)
    expect(lines.slice(2)).toEqual([
      '2026-11-20T12:00:10.000Z warn  poll failed source=accounts code=timeout attempt=3 repeated=2\n',
    ])
    fail(4)
    await clock.advance(60_000)
    expect(lines.slice(3)).toEqual([
      '2026-11-20T12:01:00.000Z warn  poll failed source=accounts code=timeout attempt=4\n',
    ])
    await clock.advance(60_000)
    fail(5)
    expect(lines).toHaveLength(5)
    expect(clock.scheduledCount).toBe(0)
  })

  it('writes the held-back line of the oldest fault when there are too many to track', async () => {
    const clock = virtualClock(async () => undefined)
    const { log, lines } = recordingLog({ clock })

    for (const attempt of [1, 2]) log.warn('poll failed', { source: 'first', attempt })
    for (let other = 0; other < 300; other += 1)
      log.warn('poll failed', { source: `source ${other}` })
    expect(lines.filter((line) => line.includes('source=first'))).toHaveLength(2)
    await clock.advance(60_000)
    expect(lines).toHaveLength(302)
  })

  it('never holds news back, so that the last line about a state is the true one', async () => {
    const clock = virtualClock(async () => undefined)
    const { log, lines } = recordingLog({ clock })

    for (let round = 0; round < 3; round += 1) {
      log.error('history store not usable', { reason: 'busy' }, 'news')
      log.info('history store open')
    }
    log.error('history store not usable', { reason: 'busy' }, 'news')
    await clock.advance(120_000)

    expect(lines).toHaveLength(7)
    expect(lines.at(-1)).toContain('history store not usable')
  })

  it('never holds back a line of level info', () => {
    const { log, lines } = recordingLog()

    log.info('source changed', { source: 'accounts' })
    log.info('source changed', { source: 'accounts' })

    expect(lines).toHaveLength(2)
  })
})
