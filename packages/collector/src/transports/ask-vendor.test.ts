import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { ProbeResult, Provider, QuotaRequest } from '../providers/contract/provider.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { aMadeUpVendor } from '../testing/made-up-vendor.ts'
import { askPlan, askQuota, failureAtVendor } from './ask-vendor.ts'

const LOGIN = { bearer: 'canary-token', vendorAccountId: null }
const others: Partial<Provider> = {
  otherQuotaRequests: () => [
    { url: 'https://second.test/quota', headers: {}, body: '{}' },
    { url: 'https://third.test/quota', headers: {} },
  ],
}

/** Answers the addresses of a vendor in turn: with this status and body, or this result. */
function answering(...answers: (readonly [status: number, body: string] | ProbeResult)[]) {
  const asked: QuotaRequest[] = []
  return {
    asked,
    async send(request: QuotaRequest) {
      const answer = answers[asked.push(request) - 1]
      if (answer === undefined) throw new Error('asked too often')
      if ('kind' in answer) return answer
      const [status, body] = answer
      return { status, body, headers: new Headers(), receivedAt: NOW }
    },
  }
}

const GOOD = [200, '{"left":40}'] as const
const NONE = [200, '{"none":true}'] as const
const REFUSED = [401, '{}'] as const
const DEAD: ProbeResult = { kind: 'failed', code: 'timeout', httpStatus: null }
const NO_TOKEN: ProbeResult = { kind: 'failed', code: 'unexpected_status', httpStatus: null }

describe('the quota of an account with several addresses', () => {
  it.each<
    readonly [
      why: string,
      answers: Parameters<typeof answering>,
      asked: number,
      kind: ProbeResult['kind'],
    ]
  >([
    ['the first answers', [GOOD], 1, 'sample'],
    ['an unknown address', [[404, ''], GOOD], 2, 'sample'],
    ['a broken vendor', [[500, ''], [503, ''], GOOD], 3, 'sample'],
    ['an address out of reach', [DEAD, GOOD], 2, 'sample'],
    ['nothing to report', [NONE, GOOD], 2, 'sample'],
    ['all fail', [[404, ''], [500, ''], DEAD], 3, 'failed'],
    ['a refused login', [REFUSED], 1, 'auth'],
    ['a throttle', [[429, '']], 1, 'throttled'],
    [
      'a throttle at the second',
      [
        [500, ''],
        [429, ''],
      ],
      2,
      'throttled',
    ],
    ['another refusal', [[400, '']], 1, 'failed'],
    ['no token at the proxy', [NO_TOKEN], 1, 'failed'],
  ])('$0: asks $2', async (_, answers, asked, kind) => {
    const vendor = answering(...answers)

    expect((await askQuota(aMadeUpVendor(others), LOGIN, vendor.send)).kind).toBe(kind)
    expect(vendor.asked).toHaveLength(asked)
  })

  it.each<{ why: string; failure: Parameters<typeof answering>[number] }>([
    { why: 'an unknown address', failure: [404, ''] },
    { why: 'a refused login', failure: REFUSED },
    { why: 'no connection', failure: DEAD },
  ])('that has nothing to report stays so: $why elsewhere', async ({ failure }) => {
    const { asked, send } = answering(NONE, failure, failure)

    expect(await askQuota(aMadeUpVendor(others), LOGIN, send)).toMatchObject({
      kind: 'sample',
      sample: { reportsNone: true },
    })
    expect(asked).toHaveLength(3)
  })

  it('that has nothing to report is throttled where another address throttles', async () => {
    const { send } = answering(NONE, [429, ''])

    expect((await askQuota(aMadeUpVendor(others), LOGIN, send)).kind).toBe('throttled')
  })
})

describe('the plan of an account', () => {
  const planned: Partial<Provider> = {
    planQuery: {
      everySeconds: 86_400,
      request: () => ({ url: 'https://vendor.test/profile', headers: {} }),
      planOf: ({ body }) => ({ plan: body, vendorIdentity: null }),
    },
  }

  it('is what the vendor says, or why it says nothing', async () => {
    const ask = (...answers: Parameters<typeof answering>) =>
      askPlan(aMadeUpVendor(planned), LOGIN, answering(...answers).send)

    expect(await ask([200, 'max_5x'])).toEqual({ plan: 'max_5x', vendorIdentity: null })
    expect(await ask([429, ''])).toMatchObject({ kind: 'throttled' })
    expect(await ask(DEAD)).toBe(DEAD)
  })

  it('is not asked for where the vendor has no such query', async () => {
    const { asked, send } = answering()

    expect(await askPlan(aMadeUpVendor(), LOGIN, send)).toBeNull()
    expect(asked).toEqual([])
  })
})

describe('a connection that breaks', () => {
  const timeout = new UpstreamError('timeout', 'no answer')
  const codes = new Set(['timeout'] as const)

  it('is a failure of one account where the vendor has a budget', () => {
    expect(failureAtVendor(timeout, aMadeUpVendor(), codes)).toEqual(DEAD)
  })

  it('holds up all where it has none, or the code is the proxy’s', () => {
    const politeness = { ...aMadeUpVendor().politeness, budget: null }

    expect(() => failureAtVendor(timeout, aMadeUpVendor({ politeness }), codes)).toThrow(timeout)
    expect(() => failureAtVendor(timeout, aMadeUpVendor(), new Set())).toThrow(timeout)
  })
})
