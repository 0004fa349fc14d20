import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { parseAnswer, type ServedShell, sendRaw, serveShell } from '../testing/raw-http.ts'
import { BACKLOG_BYTES_MAX, EVENT_CLIENTS_MAX } from './event-clients.ts'

let shell: ServedShell
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await shell.http.stop()
})

const ask = (method: string, ...headers: readonly string[]) =>
  [`${method} /api/v1/events HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')

/** A client of the events, with everything it has received. */
function follow(...headers: readonly string[]) {
  const socket = connect(shell.port, '127.0.0.1')
  sockets.push(socket)
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', () => undefined)
  socket.write(ask('GET', ...headers))
  return { socket, text: () => text, closed: once(socket, 'close') }
}
const clientCount = () => shell.eventClients.at(-1) ?? 0

it('who begins gets one snapshot and then every event; who resumes gets what was missed; both a comment in silence', async () => {
  shell = await serveShell()
  shell.ring.addSnapshot('event: snapshot\ndata: 1\n\n')
  const beginner = follow()
  await expect.poll(beginner.text).toContain('data: 1')
  shell.ring.add('event: change\ndata: 2\n\n')
  const resumed = follow('Last-Event-ID: 1')
  await expect.poll(resumed.text).toContain('data: 2')
  await shell.clock.advance(15_000)

  for (const { text } of [beginner, resumed]) await expect.poll(text).toContain(':\n\n')
  const { status, headers } = parseAnswer(beginner.text())
  expect(status).toBe(200)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  })
  expect(headers.has('content-encoding')).toBe(false)
  expect(beginner.text()).toMatch(
    /retry: 3000\n\n.*id: 1\nevent: snapshot\ndata: 1\n\n.*id: 2\nevent: change\n/s,
  )
  expect(resumed.text()).not.toContain('data: 1')
})

it('a stream goes on beyond the time in which any other answer must be taken', async () => {
  shell = await serveShell({}, { answerMs: 0 })
  const { text, socket } = follow()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  shell.ring.add('event: change\ndata: late\n\n')

  await expect.poll(text).toContain('late')
  expect(socket.destroyed).toBe(false)
})

it('the guard judges it, other methods are refused, and HEAD has the headers alone', async () => {
  shell = await serveShell()
  const foreign = ask('GET').replace('localhost', 'evil.example')
  expect((await sendRaw(shell.port, foreign)).status).toBe(403)
  expect((await sendRaw(shell.port, ask('POST'))).headers.get('allow')).toBe('GET, HEAD')
  const encoded = ask('HEAD').replace('events', '%65vents')
  expect((await sendRaw(shell.port, encoded)).headers.get('content-type')).toBe('text/event-stream')
  const head = await sendRaw(shell.port, ask('HEAD'))

  expect([head.status, head.headers.get('content-type'), head.body]).toEqual([
    200,
    'text/event-stream',
    '',
  ])
  expect(shell.eventClients).toEqual([])
})

it('one client too many is told to come later, and let in once another has left', async () => {
  shell = await serveShell()
  const clients = Array.from({ length: EVENT_CLIENTS_MAX }, () => follow())
  await expect.poll(clientCount).toBe(EVENT_CLIENTS_MAX)
  const refused = await sendRaw(shell.port, ask('GET'))
  expect([refused.status, JSON.parse(refused.body).status]).toEqual([503, 'too_many_followers'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await sendRaw(shell.port, ask('HEAD'))).status).toBe(200)
  clients[0]?.socket.destroy()
  await expect.poll(clientCount).toBe(EVENT_CLIENTS_MAX - 1)

  await expect.poll(follow().text).toContain('retry: 3000')
})

it('a client that does not read is dropped, and nobody else', async () => {
  shell = await serveShell()
  const [reader, sleeper] = [follow(), follow()]
  await expect.poll(clientCount).toBe(2)
  sleeper.socket.pause()
  const event = `event: change\ndata: ${'x'.repeat(BACKLOG_BYTES_MAX / 4)}\n\n`
  let eventCount = 0
  // The operating system takes some megabytes before anything waits here.
  while (clientCount() > 1 && eventCount < 1_000) {
    shell.ring.add(event)
    eventCount += 1
    await new Promise((resolve) => setTimeout(resolve, 1))
  }

  expect(clientCount()).toBe(1)
  shell.ring.add('event: change\ndata: last\n\n')
  await expect.poll(reader.text).toContain('data: last')
})

it('a stop ends every stream at once', async () => {
  shell = await serveShell({}, { stopMs: 600_000 })
  const clients = [follow(), follow()]
  await expect.poll(clientCount).toBe(2)
  await shell.http.stop()

  await Promise.all(clients.map(({ closed }) => closed))
  expect([clientCount(), shell.clock.scheduledCount]).toEqual([0, 0])
})
