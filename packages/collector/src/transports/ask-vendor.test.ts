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
  it.each<{
    why: string
    answers: Parameters<typeof answering>
    asked: number
    kind: ProbeResult['kind']
  }>([
    { why: 'the first answers', answers: [GOOD], asked: 1, kind: 'sample' },
    { why: 'an unknown address', answers: [[404, ''], GOOD], asked: 2, kind: 'sample' },
    { why: 'a broken vendor', answers: [[500, ''], [503, ''], GOOD], asked: 3, kind: 'sample' },
    { why: 'an address out of reach', answers: [DEAD, GOOD], asked: 2, kind: 'sample' },
    { why: 'nothing to report', answers: [NONE, GOOD], asked: 2, kind: 'sample' },
    { why: 'all fail', answers: [[404, ''], [500, ''], DEAD], asked: 3, kind: 'failed' },
    { why: 'a refused login', answers: [REFUSED], asked: 1, kind: 'auth' },
    { why: 'a throttle', answers: [[429, '']], asked: 1, kind: 'throttled' },
    {
      why: 'a throttle at the second',
      answers: [
        [500, ''],
        [429, ''],
      ],
      asked: 2,
      kind: 'throttled',
    },
    { why: 'another refusal', answers: [[400, '']], asked: 1, kind: 'failed' },
    { why: 'no token at the proxy', answers: [NO_TOKEN], asked: 1, kind: 'failed' },
  ])('$why: asks $asked', async ({ answers, asked, kind }) => {
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
