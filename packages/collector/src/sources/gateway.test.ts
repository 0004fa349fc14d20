import { afterEach, describe, expect, it } from 'vitest'
import { answering, aServer, closeServers, failureOf, realClock } from '../testing/own-servers.ts'
import { probeGateway } from './gateway.ts'

afterEach(closeServers)

describe('asking the gateway for a sign of life', () => {
  const limits = () => ({ seconds: 5, stop: new AbortController().signal })
  const deps = { clock: realClock, fetch }

  it.each([200, 204, 299])('status %d is a sign of life, and no key was sent', async (status) => {
    const { url, seen } = await aServer(answering(status, { location: '/elsewhere' }))

    expect(await probeGateway(`${url}/healthz`, limits(), deps)).toEqual({ up: true })
    expect(seen).toHaveLength(1)
    expect(seen[0]?.headers.authorization).toBeUndefined()
  })

  it.each([
    [302, 'redirected'],
    [401, 'unexpected_status'],
    [404, 'unexpected_status'],
    [500, 'server_error'],
  ])('status %d is none, but %s', async (status, code) => {
    const { url, seen } = await aServer(answering(status, { location: '/elsewhere' }))

    expect(await failureOf(probeGateway(url, limits(), deps))).toMatchObject({
      code,
      httpStatus: status,
    })
    expect(seen).toHaveLength(1)
  })

  it('a connection that closes before the answer is tried once more', async () => {
    let asked = 0
    const { url } = await aServer((_request, response) => {
      asked += 1
      if (asked === 1) response.destroy()
      else response.end()
    })

    expect(await probeGateway(url, limits(), deps)).toEqual({ up: true })
    expect(asked).toBe(2)
  })

  it('an endless body does not matter', async () => {
    const { url } = await aServer((_request, response) => response.writeHead(200).write('x'))

    await probeGateway(url, limits(), deps)
  })

  it('a name that does not exist is a DNS failure', async () => {
    const lookup = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })
    const unresolved: typeof fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: lookup }))

    expect(
      await failureOf(
        probeGateway('http://upstream.invalid', limits(), { ...deps, fetch: unresolved }),
      ),
    ).toMatchObject({
      code: 'dns',
    })
  })
})
