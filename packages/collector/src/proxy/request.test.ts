import { NOW, virtualClock } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import {
  answering,
  answerJson,
  aRawServer,
  aServer,
  closeServers,
  failureOf,
  realClock,
} from '../testing/own-servers.ts'
import { readBodyText } from './answer-body.ts'
import { sendRequest, type UpstreamRequest, withinDeadline } from './request.ts'

afterEach(closeServers)

const send = (url: string, changes: Partial<UpstreamRequest<string>> = {}) =>
  sendRequest(
    {
      url,
      redirect: 'error',
      attemptsMax: 2,
      seconds: 5,
      stop: new AbortController().signal,
      read: (response) => readBodyText(response, 1_000),
      ...changes,
    },
    { clock: realClock, fetch },
  )

describe('a request', () => {
  it('sends its headers and asks for no encoding', async () => {
    const { url, seen } = await aServer(answerJson('read'))

    expect(await send(`${url}/path?a=1`, { headers: { authorization: 'Bearer token' } })).toBe(
      '"read"',
    )
    expect(seen[0]).toMatchObject({
      method: 'GET',
      url: '/path?a=1',
      headers: { authorization: 'Bearer token', 'accept-encoding': 'identity' },
    })
  })

  it('with JSON is a POST', async () => {
    let body = ''
    const { url, seen } = await aServer((request, response) => {
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => response.end('done'))
    })

    await send(url, { json: { name: 'é' } })

    expect(body).toBe('{"name":"é"}')
    expect(seen[0]).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
  })

  it.each([204, 304, 401, 429, 503])(
    'hands on an answer of status %d unrepeated',
    async (status) => {
      const { url, seen } = await aServer(answering(status, { 'retry-after': '1' }))

      expect(await send(url, { read: (response) => String(response.status) })).toBe(String(status))
      expect(seen).toHaveLength(1)
    },
  )

  it('closes an answer that breaks off, also where fetch has forgotten the signal', async () => {
    let isClosed = false
    const body = new ReadableStream({
      cancel() {
        isClosed = true
      },
    })
    const request = { url: 'http://127.0.0.1:1', redirect: 'error', attemptsMax: 1 } as const
    const asked = sendRequest(
      {
        ...request,
        seconds: 0.05,
        stop: new AbortController().signal,
        read: (response) => readBodyText(response, 1_000),
      },
      { clock: realClock, fetch: async () => new Response(body) },
    )

    await expect(asked).rejects.toMatchObject({ code: 'timeout' })
    await expect.poll(() => isClosed).toBe(true)
  })
})

describe('a connection', () => {
  it('that is refused is unreachable, and nothing was sent', async () => {
    const { url } = await aServer(answerJson({}))
    closeServers()

    expect(await failureOf(send(url))).toMatchObject({ code: 'unreachable', wasSent: false })
  })

  it('with a header block beyond the parser’s limit is no valid HTTP', async () => {
    const { url } = await aRawServer((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(1_000_000)}\r\n\r\n`),
    )

    expect(await failureOf(send(url))).toMatchObject({ code: 'bad_payload' })
  })

  it('closed before the first byte is tried once more', async () => {
    const { url, connectionCount } = await aRawServer((socket, connection) =>
      connection === 1
        ? socket.destroy()
        : socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nread'),
    )

    expect(await send(url)).toBe('read')
    expect(connectionCount()).toBe(2)
  })

  it.each<{ why: string; changes: Partial<UpstreamRequest<string>>; sent: number }>([
    { why: 'a GET that may be repeated', changes: {}, sent: 2 },
    { why: 'a GET that may not', changes: { attemptsMax: 1 }, sent: 1 },
    { why: 'a POST', changes: { json: {} }, sent: 1 },
  ])('that always closes: $why is sent $sent times', async ({ changes, sent }) => {
    const { url, connectionCount } = await aRawServer((socket) => socket.destroy())

    expect(await failureOf(send(url, changes))).toMatchObject({
      code: 'unreachable',
      wasSent: true,
    })
    expect(connectionCount()).toBe(sent)
  })

  it('that breaks within the body is not tried again', async () => {
    const { url, connectionCount } = await aRawServer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () =>
        socket.resetAndDestroy(),
      ),
    )

    expect(await failureOf(send(url))).toMatchObject({ code: 'unreachable' })
    expect(connectionCount()).toBe(1)
  })
})

describe('the deadline', () => {
  it('covers a body that drips', async () => {
    const { url } = await aServer((_request, response) => {
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    })

    expect(await failureOf(send(url, { seconds: 0.3 }))).toMatchObject({ code: 'timeout' })
  })
})

describe('a redirect', () => {
  it('is a failure, and the other origin hears nothing', async () => {
    const other = await aServer(answerJson({}))
    const { url, seen } = await aServer(answering(302, { location: `${other.url}/steal` }))

    expect(await failureOf(send(url))).toMatchObject({ code: 'redirected' })
    expect([seen.length, other.seen.length]).toEqual([1, 0])
  })

  it('may be looked at, and is not followed', async () => {
    const other = await aServer(answerJson({}))
    const { url } = await aServer(answering(302, { location: other.url }))

    expect(
      await send(url, { redirect: 'manual', read: (response) => String(response.status) }),
    ).toBe('302')
    expect(other.seen).toHaveLength(0)
  })
})

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const forever = () => new Promise<never>(() => undefined)

function aCall(task: (signal: AbortSignal) => Promise<unknown>, stop = new AbortController()) {
  const clock = virtualClock(settle, NOW)
  const ended: unknown[] = []
  let stoodStillMs = 0
  const standStill = (milliseconds: number) => {
    stoodStillMs += milliseconds
  }
  const monotonicMs = () => clock.monotonicMs() + stoodStillMs
  withinDeadline({ ...clock, monotonicMs }, { seconds: 2, stop: stop.signal }, task).then(
    (value) => ended.push(value),
    (error: unknown) => ended.push(error),
  )
  return { clock, ended, stop, standStill }
}

describe('a call with a deadline', () => {
  it('brings its value, and leaves no timer and no listener behind', async () => {
    const { clock, ended } = aCall(async () => 'value')
    await clock.advance(0)

    expect(ended).toEqual(['value'])
    expect(clock.scheduledCount).toBe(0)
  })

  it('fails as its task fails', async () => {
    const failure = new Error('of the task')
    const { clock, ended } = aCall(() => Promise.reject(failure))
    await clock.advance(0)

    expect(ended).toEqual([failure])
    expect(clock.scheduledCount).toBe(0)
  })

  it('ends at its deadline although the task ignores its signal', async () => {
    let signal: AbortSignal | null = null
    const { clock, ended } = aCall((given) => {
      signal = given
      return forever()
    })
    await clock.advance(1999)
    expect(ended).toEqual([])
    await clock.advance(1)

    expect(ended).toMatchObject([{ name: 'UpstreamError', code: 'timeout' }])
    expect(signal).toMatchObject({ aborted: true })
  })

  it.each([
    { what: 'has its answer that came meanwhile', answers: true, end: 'value' },
    { what: 'ends a moment later', answers: false, end: { code: 'timeout' } },
  ])('of a process that stood still $what', async ({ answers, end }) => {
    let arrive = (_: unknown) => {}
    const answer = new Promise((resolve) => {
      arrive = resolve
    })
    const { clock, ended, standStill } = aCall(() => answer)
    standStill(60_000)
    await clock.advance(2_000)
    expect(ended).toEqual([])
    if (answers) arrive('value')
    await clock.advance(1_000)

    expect(ended).toMatchObject([end])
    expect(clock.scheduledCount).toBe(0)
  })

  it('ends when the program stops, without a timer left', async () => {
    const { clock, ended, stop } = aCall(forever)
    await clock.advance(500)
    stop.abort()
    await clock.advance(0)

    expect(ended).toMatchObject([{ code: 'unreachable' }])
    expect(clock.scheduledCount).toBe(0)
  })

  it('does not begin once the program has stopped', async () => {
    const stop = new AbortController()
    stop.abort()
    let begun = 0
    const { clock, ended } = aCall(async () => {
      begun += 1
    }, stop)
    await clock.advance(0)

    expect(begun).toBe(0)
    expect(ended).toMatchObject([{ code: 'unreachable' }])
    expect(clock.scheduledCount).toBe(0)
  })
})
