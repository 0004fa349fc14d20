import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import {
  answering,
  aRawServer,
  aServer,
  closeServers,
  failureOf,
  realClock,
} from '../testing/own-servers.ts'
import { passJson, readJson } from './answer-body.ts'
import { sendRequest } from './request.ts'

afterEach(closeServers)

const ask = <Answer>(url: string, read: (response: Response) => Promise<Answer>) =>
  sendRequest(
    {
      url,
      redirect: 'error',
      attemptsMax: 1,
      seconds: 5,
      stop: new AbortController().signal,
      read,
    },
    { clock: realClock, fetch },
  )
const readFrom = (url: string, bytesMax = 100_000) =>
  ask(url, (response) => readJson(response, bytesMax))

describe('a body', () => {
  it('may start with a byte-order mark and hold invalid UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('\ufeff{"name":"a'),
      Buffer.from([0xff]),
      Buffer.from('b"}'),
    ])
    const { url } = await aServer(answering(200, { 'content-type': 'application/json' }, bytes))

    expect(await readFrom(url)).toEqual({ name: 'a\ufffdb' })
  })

  it.for<readonly [what: string, body: Uint8Array, headers?: Record<string, string>]>([
    ['in UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
    ['nested 200,000 deep', Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)],
    ['that is compressed', gzipSync('{}'), { 'content-encoding': 'gzip' }],
  ])('$0 is refused', async ([, body, headers = {}]) => {
    const { url } = await aServer(
      answering(200, { 'content-type': 'application/json', ...headers }, body),
    )

    expect(await failureOf(readFrom(url, 64_000_000))).toMatchObject({ code: 'bad_payload' })
  })

  it('of exactly the limit is read, of one byte more is not', async () => {
    const text = JSON.stringify({ pad: 'x'.repeat(1000) })
    const { url } = await aServer(answering(200, { 'content-type': 'application/json' }, text))

    await readFrom(url, text.length)
    expect(await failureOf(readFrom(url, text.length - 1))).toMatchObject({ code: 'too_large' })
  })

  it('without an end is cut off at the limit', async () => {
    let sentBytes = 0
    const { url } = await aServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(64 * 1024, 0x20)
      const pump = () => {
        while (!response.destroyed && sentBytes < 500_000_000) {
          sentBytes += chunk.length
          if (!response.write(chunk)) return void response.once('drain', pump)
        }
      }
      pump()
    })

    expect(await failureOf(readFrom(url, 1_000_000))).toMatchObject({ code: 'too_large' })
    expect(sentBytes).toBeLessThan(50_000_000)
  })

  it('reset in the middle, or shorter than announced, is a failure and leaves the next call clean', async () => {
    const { url, connectionCount } = await aRawServer((socket, connection) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n')
      if (connection === 1)
        socket.write('Content-Length: 100\r\n\r\n{"files":', () => socket.resetAndDestroy())
      else if (connection === 2) socket.end('Content-Length: 100\r\n\r\n{"files":[]}')
      else if (connection === 3) socket.end('Transfer-Encoding: chunked\r\n\r\nzz\r\n{}')
      else socket.end('Content-Length: 2\r\nConnection: close\r\n\r\n{}')
    })

    for (let broken = 0; broken < 3; broken += 1) {
      const { code } = await failureOf(readFrom(url))
      expect(['unreachable', 'bad_payload']).toContain(code)
    }
    expect(await readFrom(url)).toEqual({})
    expect(connectionCount()).toBe(4)
  })
})

describe('a body that is handed on', () => {
  it('arrives as its bytes, unread', async () => {
    const { url } = await aServer(
      answering(200, { 'content-type': 'application/json' }, '{"no JSON'),
    )
    const chunks: Uint8Array[] = []

    await ask(url, (response) => passJson(response, 100, (chunk) => void chunks.push(chunk)))

    expect(Buffer.concat(chunks).toString()).toBe('{"no JSON')
  })

  it.each([
    { why: 'is one byte too long', type: 'application/json', bytesMax: 1, code: 'too_large' },
    { why: 'is a page', type: 'text/html', bytesMax: 100, code: 'bad_payload' },
  ])('that $why is refused', async ({ type, bytesMax, code }) => {
    const { url } = await aServer(answering(200, { 'content-type': type }, '{}'))

    expect(
      await failureOf(ask(url, (response) => passJson(response, bytesMax, () => undefined))),
    ).toMatchObject({ code, httpStatus: 200 })
  })
})
