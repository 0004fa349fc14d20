import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../evaluate.ts'
import type { Account } from '../facts/account.ts'
import { readStatusMessage } from '../facts/status-message.ts'
import { epochMs, instantToIso, parseInstant } from '../facts/time.ts'
import { mainWindows } from '../facts/window.ts'
import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW } from '../testing/builders.ts'
import { evaluateAccount } from './evaluate-account.ts'
import { scoringPolicy } from './routing-score.ts'

interface WireFile {
  readonly name: string
  readonly auth_index: string
  readonly label: string
  readonly status: 'active' | 'error' | 'disabled'
  readonly status_message: string
  readonly disabled: boolean
  readonly unavailable: boolean
  readonly updated_at: string
  readonly modtime: string
  readonly next_retry_after?: string
  readonly id_token?: { readonly plan_type: string; readonly chatgpt_account_id: string }
  readonly recent_requests: readonly { readonly success: number; readonly failed: number }[]
}

interface Recording {
  readonly headers: { readonly date: string }
  readonly body: { readonly files: readonly WireFile[] }
}

const recording: Recording = JSON.parse(
  readFileSync(
    new URL('../testing/samples/v7-auth-files-after-traffic.json', import.meta.url),
    'utf8',
  ),
)
const RECORDED_AT = epochMs(Date.parse(recording.headers.date))
const SLOT_MS = 600_000

function accountFromWire(file: WireFile): Account {
  const updatedAt = parseInstant(file.updated_at)
  const newestSlotAt = Math.floor(RECORDED_AT / SLOT_MS) * SLOT_MS
  const slots = file.recent_requests.map(({ success, failed }, index) => ({
    startAt: epochMs(newestSlotAt - (file.recent_requests.length - 1 - index) * SLOT_MS),
    success,
    failed,
  }))
  return {
    provider: 'codex',
    selector: { authName: file.name, authIndex: file.auth_index, accountKey: file.name },
    title: file.label,
    email: null,
    vendorAccountId: file.id_token?.chatgpt_account_id ?? null,
    claimedPlan: file.id_token?.plan_type ?? null,
    upstreamStatus: file.status,
    operatorDisabled: file.disabled,
    unavailable: file.unavailable,
    message: readStatusMessage(file.status_message, updatedAt),
    messageAt: updatedAt,
    nextRetryAt: file.next_retry_after === undefined ? null : parseInstant(file.next_retry_after),
    modifiedAt: parseInstant(file.modtime),
    // Every result touches updated_at, so no success is later.
    lastSuccessAt: slots.some((slot) => slot.success > 0) ? updatedAt : null,
    recentRequests: slots,
  }
}

describe('the account list recorded from a proxy, at its own Date', () => {
  type Row = readonly [
    name: string,
    slugs: readonly string[],
    status: string,
    tone: string,
    until: string | null,
    weight: number,
    why: string,
  ]
  it.each<Row>([
    ['008bf60b-user4@example.com-pro', [], 'active', 'good', null, 20, 'nothing wrong'],
    ['11e594f4-user1@example.com-plus', [], 'active', 'good', null, 1, 'nothing wrong'],
    [
      '205832d6-user13@example.com-plus',
      ['upstream_retry_after'],
      'retry_after',
      'warn',
      '2026-11-20T23:54:36.834Z',
      1,
      'its network is down; the proxy waits 60 s',
    ],
    [
      '3303f939-user5@example.com-free',
      ['upstream_retry_after'],
      'reset_scheduled',
      'warn',
      '2026-11-25T15:00:16.000Z',
      0,
      'a usage limit until its week resets; free is untracked',
    ],
    [
      '6b7be926-user7@example.com-team',
      ['auth_invalid', 'upstream_retry_after'],
      'deactivated',
      'bad',
      null,
      0,
      'the workspace is gone, so it weighs nothing',
    ],
    [
      '85d027de-user10@example.com-plus',
      ['operator_disabled'],
      'disabled',
      'unknown',
      null,
      0,
      'switched off, and nothing wrong with it',
    ],
    [
      '993224b4-user3@example.com-plus',
      ['upstream_retry_after'],
      'reset_scheduled',
      'warn',
      '2026-11-21T02:23:36.000Z',
      1,
      'a usage limit until its 5h window resets',
    ],
    [
      'a8353ed0-user6@example.com-prolite',
      ['auth_invalid'],
      'auth_invalid',
      'bad',
      null,
      5,
      'only the message tells that the login is dead; still tracked',
    ],
    [
      'dd7df116-user11@example.com-plus',
      [],
      'active',
      'good',
      null,
      0,
      'no id_token, so no plan: untracked but routable',
    ],
    ['e79acd97-user2@example.com-team', [], 'active', 'good', null, 1, 'nothing wrong'],
    [
      'f3e028aa-user9@example.com-plus',
      ['upstream_retry_after'],
      'retry_after',
      'warn',
      '2026-11-20T23:54:36.927Z',
      1,
      'the vendor answered 500; the proxy waits 60 s',
    ],
    [
      'fe9eeff5-user8@example.com-plus',
      ['upstream_retry_after'],
      'retry_after',
      'warn',
      '2026-11-21T00:23:36.971Z',
      1,
      'a challenge page is no auth fault; the proxy waits 30 min',
    ],
  ])('%s: %j %s', (name, reasons, kind, tone, until, weight) => {
    const file = recording.body.files.find((candidate) => candidate.name === `codex-${name}.json`)
    if (file === undefined) throw new Error(`${name} is not in the recording`)

    const evaluated = evaluateAccount(accountFromWire(file), null, defaultPolicy, RECORDED_AT)

    expect(evaluated.blockedReasons).toEqual(reasons)
    expect({
      ...evaluated.status,
      until: evaluated.status.until === null ? null : instantToIso(evaluated.status.until),
    }).toEqual({
      kind,
      tone,
      until,
    })
    expect(evaluated.capacityWeight).toBe(weight)
    expect(evaluated.routable).toBe(reasons.length === 0)
  })

  it('has no other rows', () => {
    expect(recording.body.files).toHaveLength(12)
  })

  it('is all routable or dead five days later, once every wait is over', () => {
    const later = epochMs(RECORDED_AT + 5 * 86_400_000)
    const states = recording.body.files.map(
      (file) => evaluateAccount(accountFromWire(file), null, defaultPolicy, later).status.kind,
    )

    expect(states.toSorted()).toEqual([
      ...Array<string>(4).fill('active'),
      'auth_invalid',
      'deactivated',
      'disabled',
      ...Array<string>(5).fill('ready_unproven'),
    ])
  })
})

describe('the failure rate', () => {
  const slots = (...counts: readonly (readonly [success: number, failed: number])[]) =>
    counts.map(([success, failed], index) => ({
      startAt: fromNow((index - counts.length) * 600),
      success,
      failed,
    }))
  it.each([
    ['nothing is counted', [], null],
    ['four requests are too few', slots([2, 2]), null],
    ['five are enough', slots([3, 2]), 0.4],
    ['none failed', slots([5, 0]), 0],
    ['all failed', slots([0, 5]), 1],
    ['the two newest slots count together', slots([2, 1], [1, 1]), 0.4],
    ['older ones do not', slots([0, 100], [5, 0], [5, 0]), 0],
    ['nor do they make up the number', slots([100, 0], [2, 0], [2, 0]), null],
  ])('when %s', (_, recentRequests, expected) => {
    const evaluated = evaluateAccount(anAccount('a', { recentRequests }), null, defaultPolicy, NOW)

    expect(evaluated.failureRatio).toBe(expected)
    // round(6 × 0.4) = 2, round(6 × 1) = 6
    expect(evaluated.scoreComponents.health).toBe(20 - Math.round(6 * (expected ?? 0)))
  })
})

describe('the failure rate of an account whose usage is kept', () => {
  const ratio = (requests: number, failed: number) =>
    evaluateAccount(
      anAccount('a', { recentRequests: [{ startAt: NOW, success: 0, failed: 100 }] }),
      null,
      defaultPolicy,
      NOW,
      {
        requests,
        tokens: 1,
        failed,
      },
    ).failureRatio

  it.each([
    [10, 4, 0.4],
    [5, 0, 0],
    [4, 4, null],
  ])(
    'is that of its %d requests, %d failed, whatever the proxy counts: %s',
    (requests, failed, expected) => {
      expect(ratio(requests, failed)).toBe(expected)
    },
  )
})

describe('what an account carries', () => {
  const scoped = { id: 'extra:spark:week', periodSeconds: 604_800, percent: 0, resetAt: null }
  const sample = aQuotaSample()
  const evaluated = evaluateAccount(
    anAccount('a'),
    evidenceOf([
      { ...sample, windows: [...sample.windows, scoped] },
      aQuotaSample({ ageSeconds: 60 }, { origin: 'headers' }),
    ]),
    defaultPolicy,
    NOW,
  )

  it('limits of another scope apart from its own', () => {
    expect(evaluated.windows.map(({ id }) => id)).toEqual(mainWindows.map(({ id }) => id))
    expect(evaluated.scopedWindows.map(({ id, state }) => [id, state])).toEqual([
      ['extra:spark:week', 'exhausted'],
    ])
    expect(evaluated.routable).toBe(true)
  })

  it('its newest sample and where that came from', () => {
    expect(evaluated.lastSample).toEqual({ at: NOW, origin: 'direct' })
    expect(evaluateAccount(anAccount('a'), null, defaultPolicy, NOW).lastSample).toBeNull()
  })

  it('the last diagnostic query of a disabled account', () => {
    const disabledProbe = { state: 'ok', probedAt: NOW, httpStatus: 200, sample } as const
    const disabled = evaluateAccount(
      anAccount('a', { operatorDisabled: true }),
      evidenceOf([], { disabledProbe }),
      defaultPolicy,
      NOW,
    )

    expect(disabled).toMatchObject({
      disabledProbe,
      routable: false,
      capacityWeight: 0,
      quotaClass: 'none',
    })
    expect(evaluated.disabledProbe).toEqual({ state: 'unknown' })
  })
})

it('the plus of another provider weighs nothing and scores as any untracked plan', () => {
  const evaluate = (provider: string, claimedPlan: string) =>
    evaluateAccount(
      anAccount('a', { provider, claimedPlan }),
      evidenceOf([aQuotaSample()]),
      defaultPolicy,
      NOW,
    )
  const other = evaluate('nobody', 'plus')

  expect(other).toMatchObject({ plan: 'plus', capacityWeight: 0, routable: true })
  expect(other.scoreComponents).toEqual(evaluate('codex', 'free').scoreComponents)
  expect(evaluate('codex', 'plus').capacityWeight).toBe(1)
})

it('a policy of one’s own decides the score', () => {
  const generous = { ...defaultPolicy, scoring: { ...scoringPolicy, healthMax: 35 } }

  const score = (policy: typeof defaultPolicy) =>
    evaluateAccount(anAccount('a'), evidenceOf([aQuotaSample()]), policy, NOW).score
  expect(score(generous)).toBe(score(defaultPolicy) + 15)
})

it('the multiplier of the policy decides capacity and score', () => {
  const nearlyUsed = evidenceOf([aQuotaSample({ fiveHour: 100, week: 4 })])
  const capacityPoints = (multiplier: number | 'off') =>
    evaluateAccount(anAccount('a'), nearlyUsed, { ...defaultPolicy, multiplier }, NOW)
      .scoreComponents.capacity

  // F = 0.24/3, 1/3 and 0.04/3; W = 0.04/1.5 → 20 × (0.1067, 0.36, 0.04 × 4/5)
  expect([capacityPoints(6), capacityPoints('off'), capacityPoints(1)]).toEqual([2, 7, 1])
})
