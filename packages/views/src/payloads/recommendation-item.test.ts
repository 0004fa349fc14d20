import { type BlockedReason, FIVE_HOUR_SECONDS } from '@svc/core'
import { fromNow } from '@svc/core/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import {
  aBlockedAccount,
  anEvaluatedAccount,
  aSnapshot,
  exhaustedWindow,
  knownWindow,
} from '../testing/snapshots.ts'
import { accountSelectorSchema } from './account-selector.ts'
import { recommendationsView } from './recommendations.ts'

const context = { text: createWording('Asia/Shanghai') }

describe('an account of the ranking', () => {
  it('words a routable account in full', () => {
    const account = anEvaluatedAccount('a', {
      reclaim: { id: '5h', percent: 74, resetsInSeconds: 2940 },
    })

    expect(recommendationsView(aSnapshot([account]), context).items).toEqual([
      {
        selector: {
          authName: 'codex-a@example.com-plus.json',
          authIndex: 'c0ffee09a1c2d3e4',
          accountKey: '0123456789abcdef',
        },
        authIndex: 'c0ffee09a1c2d3e4',
        accountKey: '0123456789abcdef',
        planKind: 'plus',
        tone: 'good',
        title: 'a@example.com',
        badge: 'Plus',
        summary: 'Active · 5h 74% · Weekly 66%',
        detail: '5h resets at 20:49, in 49min · Weekly resets on Wed 08:00, in 4d 12h',
        note: 'Ready.',
        routingScore: 64,
        routingEligible: true,
        routingBlockedReasons: [],
        blocked: [],
        blockedUntil: null,
        scoreComponents: { capacity: 40, health: 20, plan: 1, load: 0, reclaim: 3 },
        scoreParts: [
          {
            id: 'capacity',
            points: 40,
            max: 40,
            reason: '74% of the 5h window left, 16% of its time: use it before the reset',
          },
          { id: 'health', points: 20, max: 20, reason: 'Active' },
          { id: 'plan', points: 1, max: 5, reason: 'Plus: 1 Plus unit' },
          { id: 'load', points: 0, max: 25 },
          { id: 'reclaim', points: 3, max: 10, reason: '74% of its 5h quota expires in 49min' },
        ],
        reasons: [
          '74% of the 5h window left, 16% of its time: use it before the reset',
          'Active',
          'Plus: 1 Plus unit',
          '74% of its 5h quota expires in 49min',
        ],
        capacityWeight: 1,
        quotaWindows: [
          {
            id: '5h',
            label: '5h',
            state: 'known',
            percent: 74,
            resetAt: '2026-11-20T12:49:00.000Z',
            resetsInSeconds: 2940,
            remainingText: '49min',
            stale: false,
            rolledOver: false,
            origin: 'direct',
            sampledAt: '2026-11-20T11:59:20.000Z',
          },
          {
            id: 'week',
            label: 'Weekly',
            state: 'known',
            percent: 66.4,
            resetAt: '2026-11-25T00:00:00.000Z',
            resetsInSeconds: 388_800,
            remainingText: '4d 12h',
            stale: false,
            rolledOver: false,
            origin: 'direct',
            sampledAt: '2026-11-20T11:59:20.000Z',
          },
        ],
        reclaimEligible: true,
        reclaimWindow: { id: '5h', label: '5h', percent: 74, resetsInSeconds: 2940 },
      },
    ])
  })

  it('names no reset of a window that has not started: it would roll on', () => {
    const account = anEvaluatedAccount('a', {
      windows: [
        knownWindow('5h', 100, FIVE_HOUR_SECONDS, { sampledAt: fromNow(0) }),
        knownWindow('week', 66.4, 4.5 * 86_400),
      ],
    })

    expect(recommendationsView(aSnapshot([account]), context).items[0]?.detail).toBe(
      '5h starts with first use · Weekly resets on Wed 08:00, in 4d 12h',
    )
  })

  it('words a blocked account in full', () => {
    const account = aBlockedAccount('a', 'quota_exhausted_week', {
      status: { kind: 'reset_scheduled', tone: 'warn', until: fromNow(86_400) },
      windows: [knownWindow('5h', 80, 60), exhaustedWindow('week', 86_400)],
    })

    expect(recommendationsView(aSnapshot([account]), context).items[0]).toMatchObject({
      tone: 'warn',
      summary: 'Weekly quota used up · 5h 80% · Weekly 0%',
      note: 'Nothing to do. The weekly reset on Sat 20:00, in 1d 0h, frees it.',
      routingScore: 0,
      routingEligible: false,
      routingBlockedReasons: ['quota_exhausted_week'],
      blocked: [
        {
          slug: 'quota_exhausted_week',
          until: '2026-11-21T12:00:00.000Z',
          text: 'Weekly quota used up',
        },
      ],
      blockedUntil: '2026-11-21T12:00:00.000Z',
      scoreParts: [],
      reasons: [],
      reclaimEligible: false,
      reclaimWindow: null,
    })
  })

  it.each<[BlockedReason, string, string | null]>([
    ['operator_disabled', 'Disabled', null],
    ['auth_invalid', 'Auth invalid', null],
    ['status_invalid', 'Unavailable', null],
    ['quota_exhausted_5h', '5h quota used up', '2026-11-20T12:10:00.000Z'],
    ['quota_exhausted_spend', 'Spending limit hit', null],
    ['upstream_retry_after', 'Held back', '2026-11-20T12:20:00.000Z'],
    ['cooldown', 'Cooldown', null],
  ])('says in words what %s is and when it ends', (slug, blockedText, until) => {
    const account = aBlockedAccount('a', slug, {
      windows: [exhaustedWindow('5h', 600)],
      heldUntil: fromNow(1200),
    })

    expect(recommendationsView(aSnapshot([account]), context).items[0]?.blocked).toEqual([
      { slug, until, text: blockedText },
    ])
  })

  it('never lets anything but the three names into the selector', () => {
    const base = anEvaluatedAccount('a')
    const selector = { ...base.selector, path: 'auths/codex.json', token: 'secret' }
    const [item] = recommendationsView(aSnapshot([{ ...base, selector }]), context).items

    expect(Object.keys(item?.selector ?? {})).toEqual(['authName', 'authIndex', 'accountKey'])
    expect(v.is(accountSelectorSchema, base.selector)).toBe(true)
    expect(v.is(accountSelectorSchema, selector)).toBe(false)
  })

  it('passes a hostile title through as a plain string', () => {
    const title = '</script><img src=x onerror=alert(1)>\u2028\u202e=cmd|"\'\\\u0000\ud83d\ude00'
    const view = recommendationsView(aSnapshot([anEvaluatedAccount('a', { title })]), context)

    expect(JSON.parse(JSON.stringify(view)).items[0].title).toBe(title)
  })
})
