import { defaultPolicy, epochMs, evaluateAccount, instantToIso } from '@svc/core'
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
  it.for<readonly [file: string, state: string, why: string, weight?: number]>([
    ['008bf60b-user4@example.com-pro', 'active good', 'nothing wrong', 20],
    ['11e594f4-user1@example.com-plus', 'active good', 'nothing wrong'],
    [
      '205832d6-user13@example.com-plus',
      'retry_after warn until 2026-11-20T23:54:36.834Z: upstream_retry_after',
      'its network is down; the proxy waits 60 s',
    ],
    [
      '3303f939-user5@example.com-free',
      'reset_scheduled warn until 2026-11-25T15:00:16.000Z: upstream_retry_after',
      'a usage limit until its week resets; free is untracked',
      0,
    ],
    [
      '6b7be926-user7@example.com-team',
      'deactivated bad: auth_invalid upstream_retry_after',
      'the workspace is gone, so it weighs nothing',
      0,
    ],
    [
      '85d027de-user10@example.com-plus',
      'disabled unknown: operator_disabled',
      'switched off, and nothing wrong with it',
      0,
    ],
    [
      '993224b4-user3@example.com-plus',
      'reset_scheduled warn until 2026-11-21T02:23:36.000Z: upstream_retry_after',
      'a usage limit until its 5h window resets',
    ],
    [
      'a8353ed0-user6@example.com-prolite',
      'auth_invalid bad: auth_invalid',
      'only the message tells that the login is dead; still tracked',
      5,
    ],
    [
      'dd7df116-user11@example.com-plus',
      'active good',
      'no id_token, so no plan: untracked but routable',
      0,
    ],
    ['e79acd97-user2@example.com-team', 'active good', 'nothing wrong'],
    [
      'f3e028aa-user9@example.com-plus',
      'retry_after warn until 2026-11-20T23:54:36.927Z: upstream_retry_after',
      'the vendor answered 500; the proxy waits 60 s',
    ],
    [
      'fe9eeff5-user8@example.com-plus',
      'retry_after warn until 2026-11-21T00:23:36.971Z: upstream_retry_after',
      'a challenge page is no auth fault; the proxy waits 30 min',
    ],
  ])('$0 is $1: $2', ([file, state, , weight = 1]) => {
    const account = accounts.find(({ selector }) => selector.authName === `codex-${file}.json`)
    if (account === undefined) throw new Error(`${file} is not in the recording`)

    const evaluated = evaluateAccount(account, null, defaultPolicy, recordedAt)
    const { blockedReasons, status, capacityWeight, routable } = evaluated
    const until = status.until === null ? '' : ` until ${instantToIso(status.until)}`
    const reasons = routable ? '' : `: ${blockedReasons.join(' ')}`

    expect(`${status.kind} ${status.tone}${until}${reasons}`).toBe(state)
    expect(routable).toBe(blockedReasons.length === 0)
    expect(capacityWeight).toBe(weight)
  })

  it('has no other rows', () => {
    expect(accounts).toHaveLength(12)
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
