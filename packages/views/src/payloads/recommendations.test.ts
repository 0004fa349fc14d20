import type { BlockedReason } from '@svc/core'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createZone } from '../format/format.ts'
import {
  aBlockedAccount,
  absentWindow,
  aMixedPool,
  anEvaluatedAccount,
  aPoolCapacity,
  aSnapshot,
  exhaustedWindow,
  inSeconds,
  knownWindow,
  unknownWindow,
} from '../snapshot-fixture.ts'
import { accountSelectorSchema } from './account-selector.ts'
import { recommendationsSchema, recommendationsView } from './recommendations.ts'

const context = { text: createZone('Asia/Shanghai') }

describe('recommendationsView', () => {
  it('is what its schema says, and nothing more', () => {
    const view = recommendationsView(aSnapshot(aMixedPool(40)), context)

    // Parsing drops what the schema does not know.
    expect(v.parse(recommendationsSchema, view)).toEqual(view)
  })

  const nothing = { knownUnits: 0, trackedUnits: 0, unknownUnits: 0, staleUnits: 0 }

  it('carries every required field before the first reading', () => {
    const view = recommendationsView(
      aSnapshot([], {
        source: 'unavailable',
        available: false,
        sampledAt: null,
        gatewayUp: null,
        topScore: 0,
        capacity: aPoolCapacity({ '5h': nothing, week: nothing }),
      }),
      context,
    )
    const nothingTracked = { ...nothing, percent: null }

    expect(view).toEqual({
      contractVersion: '1.1',
      sampledAt: null,
      source: {
        kind: 'unavailable',
        text: 'No data yet: waiting for the first reading',
        gatewayOk: false,
      },
      routingPolicy: {
        scoreMax: 100,
        capacityWeightUnit: 'plus',
        hardBlocks: [
          'routeEligible=false',
          'tone=bad',
          'status disabled/unavailable/invalid/auth invalid/cooldown',
          'exhausted quota windows',
        ],
      },
      summary: '0 routable · 0 blocked · top score 0',
      routableCount: 0,
      blockedCount: 0,
      topScore: 0,
      nextRoutableAt: null,
      capacity: { fiveHour: nothingTracked, week: nothingTracked },
      items: [],
    })
    expect(v.is(recommendationsSchema, view)).toBe(true)
  })

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

  it('words a blocked account in full', () => {
    const account = aBlockedAccount('a', 'quota_exhausted_week', {
      status: { kind: 'reset_scheduled', tone: 'warn', until: inSeconds(86_400) },
      windows: [knownWindow('5h', 80, 60), exhaustedWindow('week', 86_400)],
    })

    expect(recommendationsView(aSnapshot([account]), context).items[0]).toMatchObject({
      tone: 'warn',
      summary: 'Reset scheduled · 5h 80% · Weekly 0%',
      note: 'Nothing to do. The weekly reset on Sat 20:00, in 1d 0h, frees it.',
      routingScore: 0,
      routingEligible: false,
      routingBlockedReasons: ['quota_exhausted_week'],
      blocked: [
        {
          slug: 'quota_exhausted_week',
          until: '2026-11-21T12:00:00.000Z',
          text: 'Weekly quota is used up',
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
    ['operator_disabled', 'Disabled by the operator on the proxy', null],
    ['auth_invalid', 'The login is refused', null],
    ['status_invalid', 'The proxy reports it unavailable', null],
    ['quota_exhausted_5h', '5h quota is used up', '2026-11-20T12:10:00.000Z'],
    ['quota_exhausted_spend', 'Spending limit quota is used up', null],
    ['upstream_retry_after', 'The proxy holds it back', '2026-11-20T12:20:00.000Z'],
    ['cooldown', 'Quota message without a time', null],
  ])('says in words what %s is and when it ends', (slug, blockedText, until) => {
    const account = aBlockedAccount('a', slug, {
      windows: [exhaustedWindow('5h', 600)],
      heldUntil: inSeconds(1200),
    })

    expect(recommendationsView(aSnapshot([account]), context).items[0]?.blocked).toEqual([
      { slug, until, text: blockedText },
    ])
  })

  it('says when the next account is expected back', () => {
    const view = recommendationsView(aSnapshot([], { nextRoutableAt: inSeconds(600) }), context)

    expect(view.nextRoutableAt).toBe('2026-11-20T12:10:00.000Z')
  })

  it('gives every state of a window its own shape', () => {
    const rolledOver = knownWindow('5h', 100, null, { rolledOverAt: inSeconds(-60), stale: true })
    const windowsOf = (...windows: Parameters<typeof anEvaluatedAccount>[1][]) =>
      recommendationsView(
        aSnapshot(windows.map((changes, index) => anEvaluatedAccount(String(index), changes))),
        context,
      ).items.map(({ quotaWindows, summary, detail }) => ({
        windows: quotaWindows.map(({ id, label, ...state }) => state),
        summary,
        detail,
      }))
    const read = { rolledOver: false, origin: 'direct', sampledAt: '2026-11-20T11:59:20.000Z' }
    const unread = { rolledOver: false, origin: null, sampledAt: null }
    const empty = {
      percent: null,
      resetAt: null,
      resetsInSeconds: null,
      remainingText: null,
      stale: false,
      ...read,
    }

    expect(
      windowsOf(
        { windows: [rolledOver, unknownWindow('week')] },
        { windows: [absentWindow('5h'), exhaustedWindow('week', null)] },
      ),
    ).toEqual([
      {
        windows: [
          {
            state: 'known',
            percent: 100,
            resetAt: null,
            resetsInSeconds: null,
            remainingText: 'reset, unconfirmed',
            stale: true,
            ...read,
            rolledOver: true,
          },
          { state: 'unknown', ...empty, ...unread },
        ],
        summary: 'Active · 5h 100% · Weekly unknown',
        detail: undefined,
      },
      {
        windows: [
          { state: 'absent', ...empty },
          { state: 'exhausted', ...empty, percent: 0 },
        ],
        summary: 'Active · 5h – · Weekly 0%',
        detail: undefined,
      },
    ])
  })

  it('lists further main windows after 5h and week, and no window of another scope', () => {
    const month = { ...knownWindow('week', 40, 86_400), id: 'month' }
    const account = anEvaluatedAccount('a', {
      windows: [unknownWindow('5h'), unknownWindow('week'), month],
      scopedWindows: [{ ...month, id: 'code_review:week' }],
    })

    expect(
      recommendationsView(aSnapshot([account]), context).items[0]?.quotaWindows.map(
        (window) => window.id,
      ),
    ).toEqual(['5h', 'week', 'month'])
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
