import { expect, it } from 'vitest'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import type { QuotaSample, WindowReading } from '../facts/reading.ts'
import { anAccount, aSnapshot, evidenceOf, NOW } from '../testing/builders.ts'

const aSample = (
  windows: readonly WindowReading[],
  changes: Partial<QuotaSample> = {},
): QuotaSample => ({
  origin: 'direct',
  sampledAt: NOW,
  plan: null,
  windows,
  unreadableWindowCount: 0,
  limitReached: false,
  spendReached: null,
  ...changes,
})
const byHeaders = (id: string) =>
  aSample([{ id, periodSeconds: null, percent: 40, resetAt: null }], { origin: 'headers' })
const silent = aSample([], { reportsNone: true })
const unavailable = evidenceOf([byHeaders('day')], {
  probeFailure: { at: NOW, kind: 'unavailable', httpStatus: 403, inARow: 1 },
})

it.each<{
  readonly why: string
  readonly provider: string
  readonly evidence: AccountEvidence | null
  readonly states: readonly string[]
}>([
  {
    why: 'nobody can ask the vendor',
    provider: 'kiro',
    evidence: null,
    states: ['5h none', 'week none'],
  },
  {
    why: 'a vendor that was not asked yet may report them',
    provider: 'xai',
    evidence: null,
    states: ['5h unknown', 'week unknown'],
  },
  {
    why: 'the vendor reports none',
    provider: 'antigravity',
    evidence: evidenceOf([silent]),
    states: ['5h none', 'week none'],
  },
  {
    why: 'a free account has its day alone',
    provider: 'xai',
    evidence: evidenceOf([silent, byHeaders('day')]),
    states: ['5h absent', 'week absent', 'day known'],
  },
  {
    why: 'nor does it where the vendor refuses to say',
    provider: 'xai',
    evidence: unavailable,
    states: ['5h absent', 'week absent', 'day known'],
  },
  {
    why: 'a limit of some models says nothing about the account',
    provider: 'antigravity',
    evidence: evidenceOf([silent, byHeaders('gemini:week')]),
    states: ['5h none', 'week none', 'gemini:week known'],
  },
  {
    why: 'every account of Claude has both windows, so that one is not reported',
    provider: 'claude',
    evidence: evidenceOf([silent, byHeaders('5h')]),
    states: ['5h known', 'week none'],
  },
])('$provider: $states, because $why', ({ provider, evidence, states }) => {
  const [account] = aSnapshot([[anAccount('ada', { provider }), evidence]]).accounts
  const windows = [...(account?.windows ?? []), ...(account?.scopedWindows ?? [])]

  expect(
    windows.map((window) =>
      window.state === 'unknown' && window.reported === false
        ? `${window.id} none`
        : `${window.id} ${window.state}`,
    ),
  ).toEqual(states)
})
