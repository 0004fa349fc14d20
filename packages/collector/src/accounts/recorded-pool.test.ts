import { defaultPolicy, epochMs, evaluateAccount, parseInstant, plusMs } from '@svc/core'
import { readRecording } from '@svc/fake-proxy'
import { describe, expect, it } from 'vitest'
import { createAccountTracker } from './account-tracker.ts'
import { accountListOf } from './auth-files.ts'

interface Recording {
  readonly headers: { readonly date: string }
  readonly body: { readonly files: readonly unknown[] }
}

const { headers, body } = readRecording('v7-auth-files-after-traffic') as Recording
const recordedAt = epochMs(Date.parse(headers.date))
const { accounts } = accountListOf(
  { body, receivedAt: recordedAt, proxyNow: recordedAt },
  0,
  createAccountTracker(),
)

describe('the account list recorded from a proxy, at its own Date', () => {
  it.each<{
    readonly file: string
    readonly reasons: readonly string[]
    readonly kind: string
    readonly tone?: string
    readonly until?: string | null
    readonly weight?: number
    readonly why: string
  }>([
    {
      file: '008bf60b-user4@example.com-pro',
      reasons: [],
      kind: 'active',
      tone: 'good',
      weight: 20,
      why: 'nothing wrong',
    },
    {
      file: '11e594f4-user1@example.com-plus',
      reasons: [],
      kind: 'active',
      tone: 'good',
      why: 'nothing wrong',
    },
    {
      file: '205832d6-user13@example.com-plus',
      reasons: ['upstream_retry_after'],
      kind: 'retry_after',
      until: '2026-11-20T23:54:36.834Z',
      why: 'its network is down; the proxy waits 60 s',
    },
    {
      file: '3303f939-user5@example.com-free',
      reasons: ['upstream_retry_after'],
      kind: 'reset_scheduled',
      until: '2026-11-25T15:00:16.000Z',
      weight: 0,
      why: 'a usage limit until its week resets; free is untracked',
    },
    {
      file: '6b7be926-user7@example.com-team',
      reasons: ['auth_invalid', 'upstream_retry_after'],
      kind: 'deactivated',
      tone: 'bad',
      weight: 0,
      why: 'the workspace is gone, so it weighs nothing',
    },
    {
      file: '85d027de-user10@example.com-plus',
      reasons: ['operator_disabled'],
      kind: 'disabled',
      tone: 'unknown',
      weight: 0,
      why: 'switched off, and nothing wrong with it',
    },
    {
      file: '993224b4-user3@example.com-plus',
      reasons: ['upstream_retry_after'],
      kind: 'reset_scheduled',
      until: '2026-11-21T02:23:36.000Z',
      why: 'a usage limit until its 5h window resets',
    },
    {
      file: 'a8353ed0-user6@example.com-prolite',
      reasons: ['auth_invalid'],
      kind: 'auth_invalid',
      tone: 'bad',
      weight: 5,
      why: 'only the message tells that the login is dead; still tracked',
    },
    {
      file: 'dd7df116-user11@example.com-plus',
      reasons: [],
      kind: 'active',
      tone: 'good',
      weight: 0,
      why: 'no id_token, so no plan: untracked but routable',
    },
    {
      file: 'e79acd97-user2@example.com-team',
      reasons: [],
      kind: 'active',
      tone: 'good',
      why: 'nothing wrong',
    },
    {
      file: 'f3e028aa-user9@example.com-plus',
      reasons: ['upstream_retry_after'],
      kind: 'retry_after',
      until: '2026-11-20T23:54:36.927Z',
      why: 'the vendor answered 500; the proxy waits 60 s',
    },
    {
      file: 'fe9eeff5-user8@example.com-plus',
      reasons: ['upstream_retry_after'],
      kind: 'retry_after',
      until: '2026-11-21T00:23:36.971Z',
      why: 'a challenge page is no auth fault; the proxy waits 30 min',
    },
  ])(
    '$file is $kind for $reasons: $why',
    ({ file, reasons, kind, tone = 'warn', until = null, weight = 1 }) => {
      const account = accounts.find(({ selector }) => selector.authName === `codex-${file}.json`)
      if (account === undefined) throw new Error(`${file} is not in the recording`)

      const evaluated = evaluateAccount(account, null, defaultPolicy, recordedAt)

      expect(evaluated.blockedReasons).toEqual(reasons)
      expect(evaluated.status).toEqual({
        kind,
        tone,
        until: until === null ? null : parseInstant(until),
      })
      expect(evaluated.capacityWeight).toBe(weight)
      expect(evaluated.routable).toBe(reasons.length === 0)
    },
  )

  it('has no other rows', () => {
    expect(accounts).toHaveLength(12)
  })

  it('is all routable or dead five days later, once every wait is over', () => {
    const later = plusMs(recordedAt, 5 * 86_400_000)
    const states = accounts.map(
      (account) => evaluateAccount(account, null, defaultPolicy, later).status.kind,
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

it('gives a Codex account the key that every version gave it', () => {
  const keys = accounts.map(({ title, selector }) => [title.split('@')[0], selector.accountKey])

  expect(Object.fromEntries(keys)).toMatchObject({
    user1: 'a69acf039c8f8a91',
    user3: 'b872801873b9911a',
    user4: 'c7b7684b0f4e74bc',
    user6: 'b52609b7c21e333f',
    user7: '810b3f04cf06b471',
    user10: 'e5b50569eabcc99c',
  })
})
