import { fixedClock, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createLog, escapeForLog } from './log.ts'

function recordingLog(
  options: { level?: 'debug' | 'info' | 'warn' | 'error'; format?: 'text' | 'json'; clock?: ReturnType<typeof fixedClock> } = {},
) {
  const lines: string[] = []
  const clock = options.clock ?? fixedClock()
  const log = createLog({ level: options.level ?? 'info', format: options.format ?? 'text', write: (line) => lines.push(line), clock })
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

    expect(JSON.parse(json.lines[0] ?? '')).toMatchObject({ actions: ['gateway_down', 'new\\u000aline'], failing: [] })
    expect(text.lines[0]).toContain('snapshot actions="gateway_down, new\\u000aline" failing=""')
  })

  it('leaves what there is nothing to say about out of text, and keeps it null in json', () => {
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

  it('writes a repeating fault once a minute and says how many it held back', async () => {
    const clock = virtualClock(async () => undefined)
    const { log, lines } = recordingLog({ clock })

    for (let i = 0; i < 4; i += 1) log.warn('poll failed', { source: 'accounts', code: 'timeout', attempt: i })
    log.warn('poll failed', { source: 'gateway', code: 'timeout' })
    await clock.advance(60_000)
    log.warn('poll failed', { source: 'accounts', code: 'timeout', attempt: 9 })

    expect(lines).toHaveLength(3)
    expect(lines[2]).toContain('repeated=3')
  })

  it('never holds an information back', () => {
    const { log, lines } = recordingLog()

    log.info('source changed', { source: 'accounts' })
    log.info('source changed', { source: 'accounts' })

    expect(lines).toHaveLength(2)
  })
})
