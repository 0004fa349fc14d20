import { type VirtualClock, virtualClock } from '@svc/core/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRefreshAuth, type KeyJudge, type RefreshAuthMode } from './refresh-auth.ts'

const KEY = 'right-key'
const TOKEN = 'x-svc-quota-monitor-refresh-token'

let clock: VirtualClock
let asked: string[]
beforeEach(() => {
  clock = virtualClock(async () => undefined)
  asked = []
})

function auth(mode: RefreshAuthMode, changes: Partial<KeyJudge> = {}) {
  return createRefreshAuth(
    mode,
    {
      refreshAvailable: async () => true,
      async isManagementKey(text) {
        asked.push(text)
        return text === KEY
      },
      ...changes,
    },
    clock,
  )
}
const request = (...rawHeaders: readonly string[]) => ({
  rawHeaders: [...rawHeaders],
  // Like Node, keeps the first header of each name.
  headers: Object.fromEntries(
    rawHeaders
      .flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]]] : []))
      .reverse(),
  ),
})

describe('the token of the page', () => {
  it('is accepted, and a token of an earlier start is refused', async () => {
    const [own, earlier] = [auth('page-token'), auth('page-token')]

    expect(await own.judge(request(TOKEN, own.pageToken ?? ''))).toBe('allowed')
    expect(await own.judge(request(TOKEN, earlier.pageToken ?? ''))).toBe('unauthorized')
  })

  it.each([
    { what: 'none', headers: [] },
    { what: 'an empty one', headers: [TOKEN, ''] },
    { what: 'the management key in its place', headers: ['Authorization', `Bearer ${KEY}`] },
  ])('is missed: $what', async ({ headers }) => {
    expect(await auth('page-token').judge(request(...headers))).toBe('unauthorized')
  })

  it('exists in this mode alone', () => {
    expect(auth('page-token').pageToken).toMatch(/^[\w-]{43}$/)
    expect([auth('none').pageToken, auth('management-key').pageToken]).toEqual([null, null])
  })
})

describe('the management key', () => {
  it.each([
    ['as RFC 6750 has it', ['Authorization', `Bearer ${KEY}`], true],
    ['with the scheme in small letters', ['authorization', `bearer ${KEY}`], true],
    ['another key', ['Authorization', 'Bearer wrong'], false],
    ['without a scheme', ['Authorization', KEY], false],
    ['with two spaces', ['Authorization', `Bearer  ${KEY}`], false],
    ['with a space behind it', ['Authorization', `Bearer ${KEY} `], false],
    ['of another scheme', ['Authorization', `Basic ${KEY}`], false],
    [
      'twice, once right',
      ['Authorization', `Bearer ${KEY}`, 'authorization', 'Bearer wrong'],
      false,
    ],
    ['not at all', [], false],
  ])('$0: allowed $2', async (_, headers, allowed) => {
    expect(await auth('management-key').judge(request(...headers))).toBe(
      allowed ? 'allowed' : 'unauthorized',
    )
  })

  it('is not asked about where the header cannot hold one', async () => {
    await auth('management-key').judge(request('Authorization', 'Bearer a b'))

    expect(asked).toEqual([])
  })

  it.each([
    { mode: 'management-key' as const, known: null, expected: false },
    { mode: 'management-key' as const, known: false, expected: true },
    { mode: 'page-token' as const, known: null, expected: true },
    { mode: 'none' as const, known: null, expected: true },
  ])(
    '$mode, key known: $known, refresh available: $expected',
    async ({ mode, known, expected }) => {
      expect(await auth(mode, { isManagementKey: async () => known }).available()).toBe(expected)
    },
  )

  it('is not offered when there is nothing to refresh', async () => {
    expect(await auth('management-key', { refreshAvailable: async () => false }).available()).toBe(
      false,
    )
  })
})

it.each([
  { site: undefined, expected: 'allowed' },
  { site: 'same-origin', expected: 'allowed' },
  { site: 'none', expected: 'allowed' },
  { site: 'same-site', expected: 'foreign' },
  { site: 'cross-site', expected: 'foreign' },
  { site: '', expected: 'foreign' },
])('without a credential a request of the site $site is $expected', async ({ site, expected }) => {
  const headers = site === undefined ? [] : ['Sec-Fetch-Site', site]

  expect(await auth('none').judge(request(...headers))).toBe(expected)
})

describe('guessing', () => {
  const refusals = (of: ReturnType<typeof auth>, count: number) =>
    Array.from({ length: count }, () => of.refusalDelayMs())

  it('is answered slowly from the 21st refusal of a minute on', () => {
    const delays = refusals(auth('management-key'), 22)

    expect(delays.slice(0, 20)).toEqual(Array(20).fill(0))
    expect(delays.slice(20)).toEqual([1_000, 1_000])
  })

  it('is answered at once again a minute after the last in a hurry', async () => {
    const guarded = auth('management-key')
    refusals(guarded, 25)
    await clock.advance(59_999)
    expect(guarded.refusalDelayMs()).toBe(1_000)
    await clock.advance(60_000)

    expect(guarded.refusalDelayMs()).toBe(0)
  })
})
