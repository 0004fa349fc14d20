import { afterEach, describe, expect, it } from 'vitest'
import { answering, answerJson, aServer, closeServers } from '../testing/own-servers.ts'
import { watchedFetch } from './call-trace.ts'

afterEach(closeServers)

/** Calls a server that gives this answer, and returns the trace. */
async function traceOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  init: RequestInit = {},
) {
  const { url } = await aServer(answering(status, headers))
  const { fetch: watched, seen } = watchedFetch(fetch)
  const outcome = await watched(url, init).then(
    (response) => response.status,
    (error: unknown) => String(error),
  )
  return { url, outcome, seen: seen() }
}

describe('what is seen of a call', () => {
  it('is nothing before an answer came', () => {
    expect(watchedFetch(fetch).seen()).toEqual({ answer: null, systemCode: null })
  })

  it.each<readonly [why: string, headers: Readonly<Record<string, string>>, answer: object]>([
    [
      'an answer of the proxy',
      { 'x-cpa-version': 'v7' },
      { isFromProxy: true, isWebPage: false, login: null },
    ],
    [
      'a page',
      { 'content-type': 'text/html; charset=utf-8' },
      { isFromProxy: false, isWebPage: true },
    ],
    ['a login', { 'www-authenticate': '  BASIC realm="canary"' }, { login: 'basic' }],
    ['a login that is nonsense', { 'www-authenticate': '"?"' }, { login: null }],
  ])('is where it comes from: $0', async (_, headers, answer) => {
    const { outcome, seen } = await traceOf(401, headers)

    expect(outcome).toBe(401)
    expect(seen).toMatchObject({ answer: { status: 401, redirectsTo: null, ...answer } })
    expect(JSON.stringify(seen)).not.toContain('canary')
  })

  it.each([
    {
      location: 'https://user:canary@other.test/login?token=canary#x',
      leads: 'https://other.test/login',
    },
    { location: 'http://[', leads: null },
  ])(
    'is where a redirect leads, without what may be secret: $leads',
    async ({ location, leads }) => {
      const { outcome, seen } = await traceOf(302, { location }, { redirect: 'manual' })

      expect(outcome).toBe(302)
      expect(seen.answer?.redirectsTo).toBe(leads)
    },
  )

  it('is a path of the same server for a relative redirect', async () => {
    const { url, seen } = await traceOf(307, { location: '/login' }, { redirect: 'manual' })

    expect(seen.answer?.redirectsTo).toBe(`${url}/login`)
  })

  it('is a redirect also where it must fail, and the other server hears nothing', async () => {
    const other = await aServer(answerJson({}))
    const { outcome, seen } = await traceOf(302, { location: other.url }, { redirect: 'error' })

    expect(outcome).toBe('TypeError: fetch failed')
    expect(seen.answer).toMatchObject({ status: 302, redirectsTo: `${other.url}/` })
    expect(other.seen).toHaveLength(0)
  })

  it('is what Node calls the failure of a connection', async () => {
    const { url } = await aServer(answerJson({}))
    closeServers()
    const { fetch: watched, seen } = watchedFetch(fetch)

    await expect(watched(url)).rejects.toThrow()
    expect(seen()).toEqual({ answer: null, systemCode: 'ECONNREFUSED' })
  })

  it('ends with the signal of a request that was handed in', async () => {
    const { url } = await aServer(() => undefined)
    const stopping = new AbortController()
    const pending = watchedFetch(fetch).fetch(new Request(url, { signal: stopping.signal }))
    stopping.abort(new Error('stopped'))

    await expect(pending).rejects.toThrow('stopped')
  })
})
