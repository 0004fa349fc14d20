import {
  type Account,
  type AccountEvidence,
  accountNamed,
  defaultPolicy,
  rankPool,
} from '@svc/core'
import { textOfAccount } from '@svc/core/pool'
import type { Verdict } from '@svc/core/service'
import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { accountOfText } from './stored-account.ts'

const account: Account = anAccount('ann', {
  message: { kind: 'usage_limit', resetsAt: fromNow(60), observedAt: null },
  nextRetryAt: fromNow(60),
})
const verdict: Verdict = {
  origin: 'record',
  at: fromNow(-60),
  message: { kind: 'auth_fault', code: 'unauthorized', deactivated: false },
  retryAt: null,
  inARow: 2,
}
const evidence = evidenceOf([aQuotaSample({ week: null }, { plan: 'team' })])
const stored = () => JSON.parse(textOfAccount({ account, evidence }))

describe('an account that was stored', () => {
  it.each([
    { why: 'with what was read of it', evidence },
    { why: 'of which nothing was read', evidence: null },
  ])('comes back $why', ({ evidence }) => {
    expect(accountOfText(textOfAccount({ account, evidence }))).toEqual({ account, evidence })
  })

  it('comes back with what it was refused with', () => {
    const refused = { ...account, provenAt: fromNow(-90), verdict }
    const text = textOfAccount({ account: refused, evidence: null })
    expect(accountOfText(text)?.account).toMatchObject({ provenAt: fromNow(-90), verdict })
  })

  it('comes back with the time its login was lost, however often it was refused since', () => {
    const first = fromNow(-3_600)
    const ofRefused: Account = {
      ...account,
      message: { kind: 'none' },
      lastSuccessAt: fromNow(-4_000),
    }
    const lostAtIn = (lost: Account, refusedLogin: AccountEvidence['refusedLogin']) => {
      const known = accountOfText(
        textOfAccount({ account: lost, evidence: { ...evidence, samples: [], refusedLogin } }),
      )
      if (known === null) throw new Error('not read')
      const evidenceByName = new Map([
        [known.account.selector.authName, known.evidence ?? evidence],
      ])
      return rankPool([known.account], evidenceByName, defaultPolicy, NOW)[0]?.loginLoss?.lostAt
    }
    const refusedLogin = { inARow: 9, firstAt: first, lastAt: NOW, httpStatus: 401 }

    expect(lostAtIn(ofRefused, refusedLogin)).toBe(first)
    expect(lostAtIn({ ...ofRefused, verdict: { ...verdict, firstAt: first } }, null)).toBe(first)
  })

  it('comes back with its priority at the proxy', () => {
    const text = textOfAccount({ account: { ...account, priority: -3 }, evidence: null })
    expect(accountOfText(text)?.account.priority).toBe(-3)
  })

  it('comes back with what its vendor allows: last query, plan, pause and a refusal for good', () => {
    const asked: AccountEvidence = {
      ...evidenceOf([aQuotaSample({}, { reportsNone: true, vendorIdentity: '0123456789abcdef' })]),
      probeFailure: {
        ...({ at: NOW, kind: 'unavailable', httpStatus: 403, inARow: 1 } as const),
        firstAt: fromNow(-60),
      },
      refusedLogin: {
        ...{ inARow: 1, lastAt: NOW, httpStatus: 401 },
        ...({ revoked: true, deactivated: true } as const),
      },
      askedAt: fromNow(-60),
      vendorPlan: { plan: 'max_5x', askedAt: fromNow(-600) },
      bankedResets: {
        count: 2,
        sampledAt: fromNow(-600),
        expiresAt: [fromNow(86_400)],
        listQuery: { askedAt: fromNow(-500), count: 2, outcome: 'answered' },
      },
      vendorPause: { until: fromNow(1800), inARow: 2, reason: 'throttled' },
    }
    const text = textOfAccount({ account, evidence: asked })
    expect(accountOfText(text)?.evidence).toEqual(asked)
  })

  it('stays merely suspected', () => {
    const message = {
      kind: 'auth_fault',
      code: '401',
      deactivated: false,
      suspected: true,
    } as const
    const suspected: Account = { ...account, message, verdict: { ...verdict, message } }
    const text = textOfAccount({ account: suspected, evidence: null })
    expect(accountOfText(text)?.account).toMatchObject({ message, verdict: { message } })
  })

  it('is known without a verdict of a later version', () => {
    const later = { ...account, verdict: { ...verdict, origin: 'oracle' } as never }
    const text = textOfAccount({ account: later, evidence: null })
    expect(accountOfText(text)?.account).toMatchObject({ title: account.title, verdict: null })
  })

  it.each(['acme', 'codex'])('stays an account of %s', (provider) => {
    const text = textOfAccount({ account: { ...account, provider }, evidence: null })

    expect(accountOfText(text)?.account.provider).toBe(provider)
  })

  it.each(['tokyo', 'default'])('stays an account at %s', (upstream) => {
    const text = textOfAccount({ account: { ...account, upstream }, evidence: null })

    expect(accountOfText(text)?.account.upstream).toBe(upstream)
  })

  it('of a version that stored no provider is one of Codex', () => {
    expect(stored().account).not.toHaveProperty('provider')
    expect(accountOfText(JSON.stringify(stored()))?.account.provider).toBe('codex')
  })

  it('of a version that stored no subscription has none', () => {
    const { subscribedUntil: _, ...account } = anAccount('ann', { subscribedUntil: NOW })
    const text = textOfAccount({
      account: anAccount('ann', { subscribedUntil: NOW }),
      evidence: null,
    })

    expect(accountOfText(text)?.account.subscribedUntil).toBe(NOW)
    expect(
      accountOfText(JSON.stringify({ account, evidence: null }))?.account.subscribedUntil,
    ).toBe(null)
  })

  it('comes back without what must not be stored', () => {
    const known = anAccount('ann', { vendorAccountId: 'workspace-1' })
    const text = textOfAccount({ account: known, evidence: null })

    expect(accountOfText(text)?.account.vendorAccountId).toBe(accountNamed('ann').vendorAccountId)
  })

  it.each([
    { why: 'is no JSON', change: () => 'x' },
    { why: 'is cut off', change: (text: string) => text.slice(0, -1) },
    { why: 'is a list', change: () => '[]' },
    { why: 'lacks a selector', change: changed('account', 'selector', undefined) },
    { why: 'has a status of a later version', change: changed('account', 'upstreamStatus', 'new') },
    { why: 'has a title that is too long', change: changed('account', 'title', 'x'.repeat(1025)) },
    { why: 'has an instant between milliseconds', change: changed('account', 'modifiedAt', 1.5) },
    { why: 'has samples that are none', change: changed('evidence', 'samples', [{}]) },
    {
      why: 'has more samples than any account',
      change: changed('evidence', 'samples', Array(9).fill(stored().evidence.samples[0])),
    },
  ])('is not known where its text $why', ({ change }) => {
    expect(accountOfText(change(JSON.stringify(stored())))).toBeNull()
  })
})

function changed(part: 'account' | 'evidence', field: string, value: unknown) {
  return () => JSON.stringify({ ...stored(), [part]: { ...stored()[part], [field]: value } })
}
