import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { filled } from '@svc/client/testing'
import { fixedClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { CliContext } from '../program/cli-context.ts'
import type { PressedKey, Terminal } from '../program/terminal.ts'
import { cli } from '../testing/run-for-test.ts'

const status = readFileSync(
  join(import.meta.dirname, '../../../../tests/program/golden/demo-status.json'),
  'utf8',
)
const answers: CliContext['fetch'] = async () => new Response(status)
const TOP = ['top', '--url', 'http://127.0.0.1:4515'] as const

/** A terminal that records its output, and a clock that a test advances. */
function aTerminal(size = { columns: 80, rows: 24 }) {
  const screen = { text: '', opened: 0, closed: 0, size }
  let on: Parameters<Terminal['open']>[0] = { key() {}, resize() {} }
  let due: (() => void)[] = []
  const signals: (() => void)[] = []
  const terminal: Terminal = {
    size: () => screen.size,
    write(text) {
      screen.text += text
    },
    open(handlers) {
      on = handlers
      screen.opened += 1
      return () => {
        screen.closed += 1
      }
    },
  }
  const clock: CliContext['clock'] = {
    ...fixedClock(),
    schedule(_delayMs, task) {
      due.push(task)
      return () => {}
    },
  }
  return {
    screen,
    changes: {
      terminal,
      clock,
      stdoutIsTerminal: true,
      onSignal: (_signal: string, handler: () => void) => void signals.push(handler),
    },
    /** Waits until the table is shown or drawn anew, and gives what was written since. */
    async written(contained: string) {
      await expect.poll(() => stripVTControlCharacters(screen.text)).toContain(contained)
      const { text } = screen
      screen.text = ''
      return text
    },
    press: (key: Partial<PressedKey>) => on.key({ name: '', text: '', ...key }),
    resize(changed: typeof size) {
      screen.size = changed
      on.resize()
    },
    poll() {
      const tasks = due
      due = []
      for (const task of tasks) task()
    },
    signal: () => signals[1]?.(),
  }
}

describe('top', () => {
  it.each([
    { what: 'no terminal', args: [], changes: {} },
    { what: 'no terminal, asked once', args: ['--once'], changes: {} },
    {
      what: 'a dumb terminal',
      args: [],
      changes: { terminal: aTerminal().changes.terminal, env: { TERM: 'dumb' } },
    },
  ])('prints the whole table once and plainly on $what', async ({ args, changes }) => {
    const { code, stdout } = await cli([...TOP, ...args], { fetch: answers, ...changes })

    expect(code).toBe(0)
    expect(stdout.split('\n')).toHaveLength(4 + 1 + 24 + 1)
    expect(stripVTControlCharacters(stdout)).toBe(stdout)
    expect(stdout).toContain('night-shift@example.com')
  })

  it('has windows in the head that are no main ones, and no column of the provider of one', async () => {
    const { recommendations, ...rest } = JSON.parse(status)
    const month = { id: 'month', knownUnits: 9, trackedUnits: 24, unknownUnits: 0, staleUnits: 0 }
    const { stdout } = await cli([...TOP], {
      fetch: async () =>
        Response.json({
          ...rest,
          recommendations: {
            ...recommendations,
            items: recommendations.items.map((item: object) => ({
              ...item,
              provider: 'xai',
              quotaWindows: [
                { id: '5h', state: 'unknown', reported: false },
                { ...month, percent: 37 },
              ],
            })),
            provider: 'xai',
            pools: [
              {
                ...{ provider: 'xai', label: 'xAI', unit: 'accounts', accounts: 24, routable: 14 },
                windows: [
                  { ...month, label: 'Monthly', tone: 'good', text: '9.0 of 24 accounts usable' },
                ],
              },
            ],
          },
        }),
    })

    expect(stdout).toContain('\nMonthly  9.0 of 24 accounts usable\n')
    expect(stdout).not.toContain('provider')
    expect(stdout).toMatch(/state +month {2}reset/)
    expect(stdout).toMatch(/ {4}37% {2}/)
  })

  it('on a terminal, once, is as wide as it and has colours unless NO_COLOR is set', async () => {
    const { terminal } = aTerminal().changes
    const once = async (env: CliContext['env']) =>
      (await cli([...TOP, '--once'], { fetch: answers, terminal, env })).stdout
    const coloured = await once({})

    expect(coloured).toContain('\u001b[32m')
    expect(await once({ NO_COLOR: '1' })).toBe(stripVTControlCharacters(coloured))
    expect(
      Math.max(...(await once({ NO_COLOR: '1' })).split('\n').map((line) => line.length)),
    ).toBe(80)
  })

  it('follows keys and sizes, and leaves the terminal as it was', async () => {
    const shown = aTerminal()
    const ended = cli([...TOP], { fetch: answers, ...shown.changes })

    await shown.written('1-18 of 24')
    shown.press({ name: 'pagedown' })
    await shown.written('7-24 of 24')
    shown.press({ name: 'up' })
    await shown.written('6-23 of 24')
    shown.press({ name: 's', text: 's' })
    await shown.written('s by name')
    shown.press({ text: '/' })
    for (const text of 'sqx') shown.press({ text })
    shown.press({ name: 'backspace', text: '\u007f' })
    await shown.written('/sq_')
    shown.press({ name: 'escape' })
    await shown.written('of 24  q quit')
    shown.resize({ columns: 40, rows: 10 })
    expect(await shown.written('q quit')).toContain('\u001b[2J')
    shown.press({ text: 'q' })

    expect(await ended).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect([shown.screen.opened, shown.screen.closed]).toEqual([1, 1])
  })

  it('writes nothing but what differs', async () => {
    const shown = aTerminal()
    const ended = cli([...TOP], { fetch: answers, ...shown.changes })
    await shown.written('1-18 of 24')
    shown.press({ name: 's', text: 's' })
    const redrawn = await shown.written('s by name')

    expect(redrawn).not.toContain('Plus usable')
    shown.press({ name: 'ctrl-c' })
    expect(await ended).toMatchObject({ code: 0 })
  })

  it('goes on where the service is gone, says so, and ends by a signal', async () => {
    let gone = false
    const shown = aTerminal()
    const ended = cli([...TOP], {
      ...shown.changes,
      fetch: async () => {
        if (gone) throw new Error('ECONNREFUSED')
        return new Response(status)
      },
    })
    await shown.written('1-18 of 24')
    gone = true
    shown.poll()
    await shown.written('nothing answers at http://127.0.0.1:4515; trying again')
    gone = false
    shown.poll()
    await shown.written('Yes.')
    shown.signal()

    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect(shown.screen.closed).toBe(1)
  })

  it('asks at once after an event', async () => {
    let send = (_text: string) => {}
    let body = status
    const shown = aTerminal()
    const ended = cli([...TOP], {
      ...shown.changes,
      fetch: async (input) => {
        if (!String(input).endsWith('/api/v1/events')) return new Response(body)
        const stream = new ReadableStream<Uint8Array>({
          start: (controller) => {
            send = (text) => controller.enqueue(new TextEncoder().encode(text))
          },
        })
        return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } })
      },
    })
    await shown.written('1-18 of 24')
    body = status.replace('Yes. 19.2 Plus usable now', 'Wait until 14:00')
    send(`id: 1\nevent: snapshot\ndata: ${JSON.stringify(filled('SnapshotEvent'))}\n\n`)
    await shown.written('Wait until 14:00')
    shown.press({ text: 'q' })

    expect(await ended).toMatchObject({ code: 0 })
  })

  it('quits at once while the service hangs', async () => {
    let hangs = false
    const shown = aTerminal()
    const ended = cli([...TOP], {
      ...shown.changes,
      fetch: () => (hangs ? new Promise<never>(() => {}) : Promise.resolve(new Response(status))),
    })
    await shown.written('1-18 of 24')
    hangs = true
    shown.poll()
    shown.press({ text: 'q' })

    expect(await ended).toMatchObject({ code: 0 })
  })

  it('leaves the terminal as it was where the program is wrong', async () => {
    const shown = aTerminal()
    const ended = cli([...TOP], { ...shown.changes, fetch: answers })
    await shown.written('1-18 of 24')
    Object.assign(shown.screen, { size: null })
    shown.poll()

    await expect(ended).rejects.toThrow(TypeError)
    expect(shown.screen.closed).toBe(1)
  })

  it('shows the last pool, and why there is no newer one, where something else answers', async () => {
    const shown = aTerminal({ columns: 200, rows: 24 })
    let answer = status
    const ended = cli([...TOP], { ...shown.changes, fetch: async () => new Response(answer) })
    await shown.written('1-18 of 24')
    answer = '{"summary":{}}'
    shown.poll()
    await shown.written('is not the monitor (')
    shown.press({ text: 'q' })

    expect(await ended).toMatchObject({ code: 0 })
  })

  it('ends with 4 and one line where nobody answers at first, without touching the terminal', async () => {
    const shown = aTerminal()
    const { code, stderr } = await cli([...TOP], {
      ...shown.changes,
      fetch: () => Promise.reject(new Error('ECONNREFUSED')),
    })

    expect([code, stderr]).toEqual([
      4,
      'svc-quota-monitor: nothing answers at http://127.0.0.1:4515\n',
    ])
    expect(shown.screen).toMatchObject({ opened: 0, text: '' })
  })
})
