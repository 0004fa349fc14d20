import type { AccountStatus, AccountStatusKind, BlockedReason, EvaluatedAccount } from '@svc/core'
import { fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import {
  aBlockedAccount,
  anEvaluatedAccount,
  exhaustedWindow,
  knownWindow,
} from '../testing/snapshots.ts'
import { actionConditions } from './en/health-actions.ts'
import { statusAdvice, statusLabel } from './statuses.ts'
import { createWording } from './wording.ts'

const text = createWording('Asia/Shanghai')

it.each<[AccountStatusKind, BlockedReason, string]>([
  ['reset_scheduled', 'quota_exhausted_5h', '5h quota used up'],
  ['quota_hit', 'quota_exhausted_spend', 'Spending limit hit'],
  ['reset_scheduled', 'upstream_retry_after', 'Held back'],
  ['deactivated', 'auth_invalid', 'Deactivated'],
])('a blocked account, %s by %s, is called after what blocks it: %s', (kind, reason, label) => {
  const status: AccountStatus = { kind, tone: 'warn', until: null }

  expect(statusLabel(aBlockedAccount('a', reason, { status }), text)).toBe(label)
})

describe('statusAdvice', () => {
  it.each<[AccountStatusKind, string]>([
    ['active', 'Ready.'],
    ['reset_scheduled', 'Nothing to do. A reset frees it.'],
    ['retry_after', 'Nothing to do. The proxy holds it back.'],
    ['cooldown', 'Nothing to do. Quota message without a time; the monitor checks it again.'],
    ['message', 'Usable. The proxy shows a message for it; look at its log.'],
  ])('names no time of %s where there is none', (kind, advice) => {
    const status: AccountStatus = { kind, tone: 'unknown', until: null }

    expect(statusAdvice(anEvaluatedAccount('a', { status }), NOW, text)).toBe(advice)
  })

  it('names the window whose reset frees the account', () => {
    const account = blockedUntil(41 * 60, {
      windows: [exhaustedWindow('5h', 41 * 60), knownWindow('week', 57, 86_400)],
    })

    expect(statusAdvice(account, NOW, text)).toBe(
      'Nothing to do. The 5h reset at 20:41, in 41min, frees it.',
    )
  })

  it('names the later one where both windows are used up', () => {
    const account = blockedUntil(2 * 86_400, {
      windows: [exhaustedWindow('5h', 41 * 60), exhaustedWindow('week', 2 * 86_400)],
    })

    expect(statusAdvice(account, NOW, text)).toBe(
      'Nothing to do. The weekly reset on Sun 20:00, in 2d 0h, frees it.',
    )
  })

  it('names no window where a message alone holds the account back', () => {
    expect(statusAdvice(blockedUntil(41 * 60, {}), NOW, text)).toBe(
      'Nothing to do. The reset of its limit at 20:41, in 41min, frees it.',
    )
  })

  it('says until when the proxy holds an account back', () => {
    const account = aBlockedAccount('a', 'upstream_retry_after', {
      status: { kind: 'retry_after', tone: 'warn', until: fromNow(72 * 60) },
    })

    expect(statusAdvice(account, NOW, text)).toBe(
      'Nothing to do. The proxy holds it back until 21:12.',
    )
  })

  it('tells a disabled account in trouble from one that is only left out', () => {
    const account = aBlockedAccount('a', 'operator_disabled', {
      status: { kind: 'disabled', tone: 'bad', until: null },
    })

    expect(statusAdvice(account, NOW, text)).toBe(
      `Left out on purpose. ${actionConditions.account_unavailable.remedy}`,
    )
  })
})

function blockedUntil(seconds: number, changes: Partial<EvaluatedAccount>): EvaluatedAccount {
  const status: AccountStatus = { kind: 'reset_scheduled', tone: 'warn', until: fromNow(seconds) }
  return aBlockedAccount('a', 'quota_exhausted_5h', { status, ...changes })
}
