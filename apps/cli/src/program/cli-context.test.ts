import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readText } from '@svc/client'
import { afterEach, expect, it } from 'vitest'
import { lightFetch } from './cli-context.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const never = new AbortController().signal

it('sends method, headers and body, and gives status, headers and text', async () => {
  const url = await serving(async (request, response) => {
    const body = (await request.toArray()).join('')
    response.writeHead(418, { ETag: '"7"' })
    response.end(`${request.method} ${request.url} ${request.headers['x-a']} ${body} ü`)
  })
  const answer = await lightFetch(`${url}/a?b=c`, {
    method: 'POST',
    headers: { 'X-A': 'yes' },
    body: '{}',
  })

  expect({ status: answer.status, ok: answer.ok, etag: answer.headers.get('etag') }).toEqual({
    status: 418,
    ok: false,
    etag: '"7"',
  })
  expect(answer.headers.get('X-None')).toBeNull()
  expect(await readText(answer.body, 100, never)).toBe('POST /a?b=c yes {} ü')
})

it('follows no redirect', async () => {
  const url = await serving((_request, response) =>
    response.writeHead(302, { Location: '/other' }).end(),
  )

  expect((await lightFetch(url)).status).toBe(302)
})

it('hands the body on while it comes, until the signal ends it', async () => {
  const stop = new AbortController()
  const url = await serving((_request, response) => response.write('one'))
  const reader = (await lightFetch(url, { signal: stop.signal })).body?.getReader()

  expect(new TextDecoder().decode((await reader?.read())?.value as Uint8Array)).toBe('one')
  stop.abort()
  await expect(reader?.read()).rejects.toThrow()
})

it('rejects where nobody answers, at the signal, and where the answer breaks off', async () => {
  const silent = await serving(() => undefined)
  const broken = await serving((_request, response) => {
    response.writeHead(200, { 'Content-Length': 9 }).write('half', () => response.destroy())
  })

  await expect(lightFetch('http://127.0.0.1:1')).rejects.toThrow()
  await expect(lightFetch(silent, { signal: AbortSignal.timeout(20) })).rejects.toThrow()
  await expect(readText((await lightFetch(broken)).body, 100, never)).rejects.toThrow()
})
