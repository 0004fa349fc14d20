import { expect, it } from 'vitest'
import { answering, sentEvents } from '../testing/answering.ts'
import { cli } from '../testing/run-for-test.ts'

const snapshot = {
  sampledAt: '2026-11-20T12:00:00.000Z',
  state: 'good',
  routableCount: 14,
  blockedCount: 10,
  topScore: 73,
}
const item = { tone: 'bad', title: 'Auth invalid', summary: 'a\u001b[2J: log in again.' }
const SENT = [
  ['snapshot', snapshot],
  ['change', { ...item, tone: 'warn', at: '2026-11-20T12:00:07.000Z' }],
  ['action', { transition: 'opened', at: '2026-11-20T12:00:08.000Z', item }],
  ['action', { transition: 'resolved', at: '2026-11-20T12:00:09.000Z', item }],
] as const

/** The command, once it has printed what was sent and one of these told it to end. */
async function following(argv: readonly string[], endsBy: 'SIGINT' | 'reader') {
  const events = sentEvents()
  let end = () => {}
  let printed = ''
  const ended = cli(['events', '--url', 'http://127.0.0.1:4515', ...argv], {
    fetch: answering({ '/api/v1/events': events.answer }),
    onSignal(signal, handler) {
      if (signal === endsBy) end = handler
    },
    onReaderGone(handler) {
      if (endsBy === 'reader') end = handler
    },
    stdout(text) {
      printed += text
    },
  })
  await expect.poll(events.readers).toBe(1)
  for (const [event, data] of SENT) events.send(event, data)
  await expect.poll(() => printed.split('\n').length).toBe(SENT.length + 1)
  end()
  return { ...(await ended), stdout: printed }
}

it('prints time, tone and text of each event, and ends with 0 on Ctrl-C', async () => {
  expect(await following([], 'SIGINT')).toEqual({
    code: 0,
    stdout: `2026-11-20T12:00:00Z  good     14 routable, 10 blocked, top score 73
2026-11-20T12:00:07Z  warn     Auth invalid: a\\u{1b}[2J: log in again.
2026-11-20T12:00:08Z  bad      opened: Auth invalid: a\\u{1b}[2J: log in again.
2026-11-20T12:00:09Z  good     resolved: Auth invalid: a\\u{1b}[2J: log in again.
`,
    stderr: '',
  })
})

it('prints a document a line for scripts, and ends when nobody reads any more', async () => {
  const { code, stdout } = await following(['--json'], 'reader')

  expect(code).toBe(0)
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject(SENT.map(([event, data], at) => ({ event, data, id: String(at + 1) })))
})
