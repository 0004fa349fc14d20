import type { HealthEvaluation, HealthSource, OpenAction } from '@svc/core/health'
import { noTrends, type RecentChange } from '@svc/core/pool'
import { fromNow } from '@svc/core/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { aMixedPool, anOpenAction, aSnapshot } from '../testing/snapshots.ts'
import { healthSchema, healthView } from './health.ts'

const context = { text: createWording('Asia/Shanghai'), trends: noTrends }

const noKey = anOpenAction({ tone: 'bad', action: { code: 'management_key_missing' } })
const openListener = anOpenAction({
  tone: 'warn',
  action: { code: 'risky_listener', host: '0.0.0.0' },
})
const added: RecentChange = {
  at: fromNow(-420),
  tone: 'good',
  detail: { code: 'account_added', title: 'a@example.com', accountKey: '0123456789abcdef' },
}

const named = { title: 'a@example.com', accountKey: '0123456789abcdef' }

function healthOf(changes: Partial<HealthEvaluation>) {
  const snapshot = aSnapshot(aMixedPool(20))
  return healthView({ ...snapshot, health: { ...snapshot.health, ...changes } }, context)
}

describe('healthView', () => {
  it('is what its schema says, and nothing more', () => {
    const snapshot = aSnapshot(aMixedPool(20), { recentChanges: [added] })
    const view = healthView(
      { ...snapshot, health: { ...snapshot.health, state: 'bad', actions: [noKey, openListener] } },
      context,
    )

    expect(v.parse(healthSchema, view)).toEqual(view)
  })

  it('names what nobody here knows at the account list alone', () => {
    const accounts = aMixedPool(20).map((one) => ({ ...one, unknownNames: ['paused', 'mood'] }))
    const snapshot = aSnapshot(accounts)
    const { sources } = v.parse(healthSchema, healthView(snapshot, context))

    expect(sources.filter(({ unknownNames }) => unknownNames !== undefined)).toMatchObject([
      {
        id: 'accounts',
        unknownNames: [{ provider: 'codex', count: 2, names: ['mood', 'paused'] }],
      },
    ])
  })

  it('has nothing to say of a healthy pool but that it is one', () => {
    expect(healthOf({})).toMatchObject({
      title: 'Health',
      state: 'good',
      summary: 'Nothing to do.',
      pill: 'Good',
      actions: [],
      actionCount: 0,
      sourceCounts: { good: 4, warn: 0, bad: 0, unknown: 0 },
      sampledAt: '2026-11-20T11:59:56.000Z',
      source: 'live',
      sourceText: 'Live: 20 Codex accounts, read at 19:59:56',
      recommendations: { summary: '14 routable · 6 blocked · top score 0' },
    })
  })

  it.each<
    readonly [
      state: HealthEvaluation['state'],
      actions: readonly OpenAction[],
      pill: string,
      summary: string,
    ]
  >([
    ['good', [], 'Good', 'Nothing to do.'],
    ['warn', [], 'Warn', 'Nothing to do yet, but a source has trouble.'],
    ['bad', [], 'Bad', 'Nothing to do yet, but a source has trouble.'],
    ['unknown', [], 'Unknown', 'Waiting for the first reading.'],
    ['bad', [noKey], '1 action', 'No management key.'],
    ['bad', [noKey, openListener, openListener], '3 actions', 'No management key, and 2 more.'],
  ])('state $0 with actions $1 has the pill $2', (state, actions, pill, summary) => {
    expect(healthOf({ state, actions })).toMatchObject({
      state,
      pill,
      summary,
      actionCount: actions.length,
    })
  })

  it('shows a run to and fro as one change, with how often and since when', () => {
    const flip = { code: 'window_exhausted', title: 'a', accountKey: 'a', windowId: '5h' } as const
    const recentChanges = Array.from({ length: 20 }, (_, index) => ({
      at: fromNow(-60 * index),
      tone: 'warn' as const,
      detail: index % 2 === 0 ? flip : ({ ...flip, code: 'window_reset' } as const),
    }))
    const snapshot = aSnapshot([], { recentChanges: [...recentChanges, added] })
    const [run, ...others] = healthView(snapshot, context).recentChanges

    expect(run).toMatchObject({
      code: 'window_exhausted',
      accountKeys: ['a'],
      tone: 'unknown',
      timeText: '20:00',
      count: 20,
      countText: '20 times since 19:41',
      since: '2026-11-20T11:41:00.000Z',
    })
    expect(others).toMatchObject([{ code: 'account_added', since: null }])
    expect(others[0]).not.toHaveProperty('count')
  })

  it.each<[RecentChange['detail'], RecentChange['tone'], 'wait' | undefined]>([
    [
      { ...named, code: 'status_changed', from: 'active', to: 'reset_scheduled', until: null },
      'warn',
      'wait',
    ],
    [
      { ...named, code: 'status_changed', from: 'active', to: 'retry_after', until: null },
      'warn',
      'wait',
    ],
    [
      { ...named, code: 'status_changed', from: 'active', to: 'cooldown', until: null },
      'warn',
      'wait',
    ],
    [
      { ...named, code: 'status_changed', from: 'cooldown', to: 'active', until: null },
      'good',
      undefined,
    ],
    [
      { ...named, code: 'status_changed', from: 'active', to: 'auth_invalid', until: null },
      'bad',
      undefined,
    ],
    [
      { ...named, code: 'status_changed', from: 'active', to: 'quota_hit', until: null },
      'bad',
      undefined,
    ],
    [{ ...named, code: 'window_exhausted', windowId: '5h' }, 'warn', 'wait'],
    [{ ...named, code: 'account_removed' }, 'warn', undefined],
  ])('marks the change %j, which is %s, as %s', (detail, tone, sign) => {
    const snapshot = aSnapshot([], { recentChanges: [{ at: fromNow(0), tone, detail }] })

    expect(healthView(snapshot, context).recentChanges[0]?.sign).toBe(sign)
  })

  it('names the accounts of an action by their keys, each once', () => {
    const accounts = ['a', 'b', 'a'].map((accountKey, index) => ({
      authName: `${index}.json`,
      accountKey,
      title: accountKey,
    }))
    const view = healthOf({
      actions: [anOpenAction({ tone: 'bad', action: { code: 'auth_invalid', accounts } })],
    })

    expect(view.actions[0]?.accountKeys).toEqual(['a', 'b'])
  })

  it.each<[string, HealthSource['tone'], HealthSource['outcome']]>([
    ['ok', 'good', { kind: 'ok', at: fromNow(-4) }],
    ['degraded', 'warn', { kind: 'ok', at: fromNow(-4) }],
    ['pending', 'unknown', { kind: 'pending' }],
    ['off', 'unknown', { kind: 'off', reason: 'no_key' }],
    ['timeout', 'bad', { kind: 'failed', code: 'timeout', at: fromNow(-4) }],
  ])('a source has the code %s', (code, tone, outcome) => {
    const source = {
      id: 'gateway',
      tone,
      outcome,
      failuresInARow: 0,
      lastGoodAt: null,
      since: fromNow(-90),
    } as const

    expect(healthOf({ sources: [source] }).sources).toMatchObject([{ id: 'gateway', code }])
  })

  it('tells changes of one time apart, and knows no account of one stored without its key', () => {
    const exhausted = { code: 'window_exhausted', title: 'a', accountKey: 'a' } as const
    const details = [
      { ...exhausted, windowId: '5h' },
      { ...exhausted, windowId: 'week' },
      { code: 'account_removed', title: 'b' },
    ] as const
    const recentChanges = details.map((detail) => ({
      at: fromNow(0),
      tone: 'warn' as const,
      detail,
    }))
    const items = healthView(aSnapshot([], { recentChanges }), context).recentChanges

    expect(items.map(({ id }) => id)).toEqual(['mwoxfuo0', 'mwoxfuo0-2', 'mwoxfuo0-3'])
    expect(items.map(({ accountKeys }) => accountKeys)).toEqual([['a'], ['a'], []])
  })

  it('leaves the time of the sample out before there is one', () => {
    expect(
      healthView(aSnapshot([], { sampledAt: null, source: 'unavailable' }), context),
    ).not.toHaveProperty('sampledAt')
  })
})
