import type { Account, AccountEvidence } from '@svc/core'
import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { PlanQuery } from '../providers/contract/provider.ts'
import { madeUpBudget } from '../testing/made-up-vendor.ts'
import { askableAtMs, planAskableAtMs } from './account-budget.ts'
import { neverQueried, type QueryTimes } from './schedule.ts'

const NOW_MS = 1_000_000
const EVERY = madeUpBudget.perAccountSeconds
const POLITENESS = { seconds: 65, answerBytesMax: 1024 }
const headers = (ageSeconds: number, shape = {}) =>
  aQuotaSample({ ...shape, ageSeconds }, { origin: 'headers' })
const unavailable = (ageSeconds: number): Partial<AccountEvidence> => ({
  probeFailure: { at: fromNow(-ageSeconds), kind: 'unavailable', httpStatus: 403, inARow: 1 },
})
const refused = (ageSeconds: number): Partial<AccountEvidence> => ({
  refusedLogin: { inARow: 1, lastAt: fromNow(-ageSeconds), httpStatus: 401 },
})

interface Row {
  readonly why: string
  readonly times?: Partial<QueryTimes>
  readonly evidence?: AccountEvidence
  readonly account?: Partial<Account>
  readonly isBudgeted?: boolean
  /** Seconds from now; null: at any time. */
  readonly inSeconds: number | null
}

describe('the next query of an account', () => {
  it.each<Row>([
    { why: 'never queried', inSeconds: null },
    { why: 'queried just now', times: { sentAtMs: NOW_MS }, inSeconds: EVERY },
    { why: 'queried a while ago', times: { sentAtMs: NOW_MS - 60_000 }, inSeconds: EVERY - 60 },
    { why: 'no budget', times: { sentAtMs: NOW_MS }, isBudgeted: false, inSeconds: null },
    { why: 'its turn in the first round', times: { firstRoundAtMs: NOW_MS + 9_000 }, inSeconds: 9 },
    {
      why: 'headers with both windows',
      evidence: evidenceOf([headers(60)]),
      inSeconds: EVERY - 60,
    },
    {
      why: 'headers without the week',
      evidence: evidenceOf([headers(60, { week: null })]),
      inSeconds: null,
    },
    {
      why: 'headers with all that a query shows',
      evidence: evidenceOf([aQuotaSample({ week: null }), headers(60, { week: null })]),
      inSeconds: EVERY - 60,
    },
    { why: 'headers from the future', evidence: evidenceOf([headers(-3_600)]), inSeconds: EVERY },
    {
      why: 'no quota for this login',
      evidence: evidenceOf([], unavailable(3_600)),
      isBudgeted: false,
      inSeconds: 23 * 3_600,
    },
    {
      why: 'no quota for a login that was renewed since',
      evidence: evidenceOf([], unavailable(3_600)),
      account: { modifiedAt: fromNow(-60) },
      inSeconds: null,
    },
    { why: 'a first refusal', evidence: evidenceOf([], refused(60)), inSeconds: 14 * 60 },
    {
      why: 'a refusal of Codex, which is confirmed at once',
      evidence: evidenceOf([], refused(60)),
      account: { provider: 'codex' },
      inSeconds: null,
    },
    {
      why: 'a first refusal before the file was written',
      evidence: evidenceOf([], refused(60)),
      account: { modifiedAt: NOW },
      inSeconds: null,
    },
  ])('$why', (row) => {
    const { times, evidence = evidenceOf([]), account } = row
    const { isBudgeted = true, inSeconds } = row
    const askableMs = askableAtMs(
      {
        account: anAccount('a', { provider: 'kimi', ...account }),
        evidence,
        times: { ...neverQueried, ...times },
      },
      { politeness: { ...POLITENESS, budget: isBudgeted ? madeUpBudget : null } },
      { now: NOW, nowMs: NOW_MS },
    )

    if (inSeconds === null) expect(askableMs).toBeLessThanOrEqual(0)
    else expect(askableMs).toBe(NOW_MS + inSeconds * 1000)
  })
})

describe('the query for the plan alone', () => {
  const direct = (ageSeconds: number) => aQuotaSample({ ageSeconds })
  const asked = (ageSeconds: number): Partial<AccountEvidence> => ({
    vendorPlan: { plan: 'pro', askedAt: fromNow(-ageSeconds) },
  })
  const never = Number.POSITIVE_INFINITY

  it.for<readonly [why: string, evidence: AccountEvidence, agoSeconds: number, hasQuery?: boolean]>(
    [
      ['follows a query', evidenceOf([direct(60)]), 60],
      ['follows headers', evidenceOf([headers(90)]), 90],
      ['waits for a reading', evidenceOf([]), never],
      ['waits for a new one', evidenceOf([direct(EVERY)]), never],
      ['does not follow a refusal', evidenceOf([direct(60)], unavailable(30)), never],
      ['is sent once a day', evidenceOf([direct(9)], asked(86_399)), never],
      ['is sent the next day', evidenceOf([direct(9)], asked(86_400)), 9],
      ['is none where the quota names the plan', evidenceOf([direct(9)]), never, false],
    ],
  )('$0', ([, evidence, agoSeconds, hasQuery = true]) => {
    const planQuery = { everySeconds: 86_400 } as PlanQuery
    const at = planAskableAtMs(
      { account: anAccount('a', { provider: 'kimi' }), evidence, times: neverQueried },
      { politeness: { ...POLITENESS, budget: madeUpBudget }, ...(hasQuery ? { planQuery } : {}) },
      { now: NOW, nowMs: NOW_MS },
    )

    expect((NOW_MS - at) / 1000).toBe(agoSeconds === never ? -never : agoSeconds)
  })
})
