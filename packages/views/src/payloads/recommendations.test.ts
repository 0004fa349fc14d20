import { FIVE_HOUR_SECONDS } from '@svc/core'
import { fromNow } from '@svc/core/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import {
  aMixedPool,
  anEvaluatedAccount,
  aPoolCapacity,
  aSnapshot,
  knownWindow,
} from '../testing/snapshots.ts'
import { recommendationsSchema, recommendationsView } from './recommendations.ts'
import { accountSelectorSchema } from './wire-schema.ts'

const context = { text: createWording('Asia/Shanghai') }

describe('recommendationsView', () => {
  it('is what its schema says, and nothing more', () => {
    const view = recommendationsView(aSnapshot(aMixedPool(40)), context)

    // Parsing drops members that the schema does not list.
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
    const nothingTracked = {
      ...nothing,
      usableUnits: 0,
      heldUnits: 0,
      percent: null,
    }

    expect(view).toEqual({
      contractVersion: '1.1',
      provider: 'codex',
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
      nextRoutableInSeconds: null,
      capacity: { fiveHour: nothingTracked, week: nothingTracked },
      pools: [],
      items: [],
    })
    expect(v.is(recommendationsSchema, view)).toBe(true)
  })

  it('says when the next account is expected back', () => {
    const view = recommendationsView(aSnapshot([], { nextRoutableAt: fromNow(600) }), context)

    expect(view).toMatchObject({
      nextRoutableAt: '2026-11-20T12:10:00.000Z',
      nextRoutableInSeconds: 600,
    })
  })
})

describe('an account of the ranking', () => {
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

  it.each([
    [7, 7],
    [null, undefined],
  ])('has the priority that the proxy lists, %s', (priority, shown) => {
    const base = anEvaluatedAccount('a')
    const account = { ...base, account: { ...base.account, priority } }

    expect(recommendationsView(aSnapshot([account]), context).items[0]?.priority).toBe(shown)
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
