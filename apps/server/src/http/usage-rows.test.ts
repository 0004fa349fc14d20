import { connect, type Socket } from 'node:net'
import { epochMs } from '@svc/core'
import { placeAt, type RowsLeft } from '@svc/core/usage'
import type { HistoryAnswers } from '@svc/monitor'
import { afterEach, expect, it } from 'vitest'
import { type ServedShell, serveShell } from '../testing/raw-http.ts'

const PART_BYTES = 256 * 1024
const LEFT: RowsLeft = { from: epochMs(0), before: placeAt(epochMs(1)) }
const REST = { whole: LEFT, rowsSince: null, unknownIds: [] }
const filler = new Uint8Array(PART_BYTES).fill('x'.charCodeAt(0))

/** What is read; `length` parts, each after `pauseMs`, or as many as are taken. */
function source({ length = Number.POSITIVE_INFINITY, pauseMs = 0, failsAt = Number.NaN } = {}) {
  const parts = { read: 0 }
  const answer: HistoryAnswers['rows'] = async (_, left) => {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    parts.read += 1
    if (parts.read === failsAt) return 'store_unavailable'
    const isLast = left !== null && parts.read >= length
    return { ...REST, bytes: filler, left: isLast ? null : LEFT }
  }
  return { parts, answer }
}

let shell: ServedShell | null = null
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await shell?.http.stop()
})

/** A connection that has asked for a download, and reads only when it is told to. */
function download(method = 'GET') {
  const socket = connect(shell?.port ?? 0, '127.0.0.1')
  sockets.push(socket)
  socket.pause()
  socket.write(`${method} /api/v1/usage/rows HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => undefined)
  let text = ''
  socket.setEncoding('latin1')
  const until = (end: RegExp) =>
    new Promise<string>((resolve) => {
      const look = () => {
        if (end.test(text.slice(-64)) || end.test(text.slice(0, 1_000))) resolve(text)
      }
      socket.on('data', (chunk: string) => {
        text += chunk
        look()
      })
      socket.on('close', () => resolve(text))
      look()
    })
  return { socket, closed, until }
}
/** The head of an answer that has no body. */
async function statusOf(method: string): Promise<string> {
  const { socket, until } = download(method)
  socket.resume()
  const text = await until(/\r\n\r\n/)
  socket.destroy()
  return text
}

const END = /\r\n0\r\n\r\n$/
const soon = (milliseconds = 50) => new Promise((resolve) => setTimeout(resolve, milliseconds))
/** Once it has not changed for a while. */
async function settled(value: () => number): Promise<number> {
  for (let seen = -1; ; ) {
    await soon(300)
    if (value() > 0 && value() === seen) return seen
    seen = value()
  }
}

it('reads no more than a client takes, and ends who takes nothing, but not who waits for us', async () => {
  const { parts, answer } = source()
  shell = await serveShell({}, { answerMs: 1_000, stopMs: 100 }, answer)
  const [stuck] = [download(), download()]
  await settled(() => parts.read)
  while (!(await statusOf('HEAD')).startsWith('HTTP/1.1 200 ')) await soon()
  stuck?.socket.resume()
  expect(await stuck?.until(END)).not.toMatch(END)

  await shell.http.stop()
  const slow = source({ length: 6, pauseMs: 250 })
  shell = await serveShell({}, { answerMs: 1_000 }, slow.answer)
  const patient = download()
  patient.socket.resume()
  expect(await patient.until(END)).toMatch(END)
  expect(slow.parts.read).toBe(6)
})

it('gives two at once, a third is told when to ask again, and whoever goes away makes room', async () => {
  const { parts, answer } = source()
  shell = await serveShell({}, { stopMs: 100 }, answer)
  for (let count = 0; count < 3; count += 1) expect(await statusOf('HEAD')).toContain(' 200 ')
  const [one] = [download(), download()]
  await settled(() => parts.read)
  const third = download()
  third.socket.resume()
  const refused = await third.until(/\}$/)
  expect(refused).toMatch(/^HTTP\/1.1 503 /)
  expect(refused).toMatch(/Retry-After: 5\r\n/i)

  one?.socket.destroy()
  const readBefore = await settled(() => parts.read)
  const next = download()
  next.socket.resume()
  await next.until(/^HTTP\/1.1 200 /)
  next.socket.destroy()
  expect(await settled(() => parts.read)).toBeGreaterThan(readBefore)
})

it('cuts off what it cannot read on, so that nobody takes it for the whole', async () => {
  const { answer } = source({ failsAt: 4 })
  shell = await serveShell({}, {}, answer)
  const { socket, until, closed } = download()
  socket.resume()
  const text = await until(END)
  await closed

  expect(text).toMatch(/^HTTP\/1.1 200 /)
  expect(text).not.toMatch(END)
  expect(shell.logged.join()).toMatch(/download cut off/)
})

it('that cannot begin says why', async () => {
  shell = await serveShell()
  const { socket, until } = download()
  socket.resume()

  expect(await until(/\}$/)).toMatch(/^HTTP\/1.1 503 [\s\S]*"status":"no_store"/)
})
