import type { EndedRefresh } from '@svc/core/service'
import { fromNow, NOW } from '@svc/core/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import {
  manualRefreshSchema,
  manualRefreshView,
  refreshRequestOf,
  refreshResultSchema,
  refreshResultView,
} from './refresh.ts'

const text = createWording('UTC')

describe('the body of a refresh', () => {
  it.each([
    ['', { scope: 'default' }],
    ['{}', { scope: 'default' }],
    [' { "scope" : "default" } ', { scope: 'default' }],
    ['{"scope":"disabled-diagnostics"}', { scope: 'disabled-diagnostics' }],
    ['{"scope":"account","accountKey":"c3ae"}', { scope: 'account', accountKey: 'c3ae' }],
    ['{"accountKey":"a:b\\":c","scope":"account"}', { scope: 'account', accountKey: 'a:b":c' }],
  ])('$0 asks for $1', (body, target) => {
    expect(refreshRequestOf(body)).toEqual({ kind: 'begin', target })
  })

  it.each(['{"cancel":true}', ' { "cancel" : true } '])('%s cancels', (body) => {
    expect(refreshRequestOf(body)).toEqual({ kind: 'cancel' })
  })

  it.each([
    '{"scope":"all"}',
    '{"scope":null}',
    '{"Scope":"default"}',
    '{"scope":"default","force":true}',
    '{"scope":"default","scope":"disabled-diagnostics"}',
    '{"scope":"default","\\u0073cope":"default"}',
    '[]',
    '[{"scope":"default"}]',
    'null',
    '"default"',
    '{"scope":"default"',
    '{"scope":"account"}',
    '{"scope":"account","accountKey":""}',
    '{"scope":"account","accountKey":7}',
    '{"scope":"account","accountKey":null}',
    '{"scope":"account","accountKey":"a","accountKey":"b"}',
    '{"accountKey":"a"}',
    '{"scope":"default","accountKey":"a"}',
    '{"scope":"disabled-diagnostics","accountKey":"a"}',
    '{"cancel":false}',
    '{"cancel":"true"}',
    '{"cancel":1}',
    '{"cancel":true,"cancel":true}',
    '{"cancel":true,"scope":"default"}',
    '{"cancel":true,"accountKey":"a"}',
    '{"__proto__":{"cancel":true}}',
  ])('%s asks for nothing', (body) => {
    expect(refreshRequestOf(body)).toBeNull()
  })
})

describe('the refresh in the status', () => {
  const tally = { queued: 5, done: 4, failed: 1 }
  const ended = (failure: EndedRefresh['failure']): EndedRefresh => ({
    status: 'partial',
    target: { scope: 'default' },
    startedAt: NOW,
    completedAt: fromNow(30),
    tally,
    failure,
  })

  it('names no time and counts nothing before the first', () => {
    const view = manualRefreshView({ status: 'idle' }, text)

    expect(v.is(manualRefreshSchema, view)).toBe(true)
    expect(view).toMatchObject({ status: 'idle', scope: null, startedAt: null, queued: 0 })
  })

  it('has no end and no error while it is under way', () => {
    const running = {
      status: 'running',
      target: { scope: 'account', accountKey: 'c3ae' },
      startedAt: NOW,
      expectedEndAt: fromNow(90),
      tally,
    } as const
    const shown = {
      status: 'running',
      scope: 'account',
      accountKey: 'c3ae',
      startedAt: '2026-11-20T12:00:00.000Z',
      completedAt: null,
      ...tally,
      expectedEndAt: '2026-11-20T12:01:30.000Z',
      error: '',
    }

    expect(manualRefreshView(running, text)).toEqual(shown)
    const answer = refreshResultView(running, text)
    expect(v.is(refreshResultSchema, answer)).toBe(true)
    expect(answer).toEqual({ ok: true, ...shown })
  })

  it('expects no end while nothing may be sent, nor once it has ended', () => {
    const running = {
      status: 'running',
      target: { scope: 'default' },
      startedAt: NOW,
      tally,
    } as const

    for (const state of [{ ...running, expectedEndAt: null }, ended(null)])
      expect(Object.keys(manualRefreshView(state, text))).not.toContain('expectedEndAt')
  })

  it('has no scope in the answer to a cancel where there was none', () => {
    const answer = refreshResultView({ status: 'idle' }, text)

    expect(v.is(refreshResultSchema, answer)).toBe(true)
    expect(answer).toMatchObject({ ok: true, status: 'idle', startedAt: null })
    expect(answer).not.toHaveProperty('scope')
  })

  it.each([
    [null, ''],
    ['quota_off', 'Direct quota queries are off: set quota_transport.'],
    ['deadline', 'It took too long.'],
    ['unauthorized', 'The proxy refused the management key.'],
    ['cancelled', 'It was cancelled.'],
    ['no_direct_quota', 'The quota of this account cannot be queried.'],
    ['vendor_asks_to_wait', 'The vendor wants no query about this account yet.'],
    ['asked_lately', 'The vendor was asked about this account less than a minute ago.'],
  ] as const)('that ended by $0 says "$1"', (failure, error) => {
    expect(manualRefreshView(ended(failure), text)).toMatchObject({
      completedAt: '2026-11-20T12:00:30.000Z',
      ...(failure === null ? {} : { reason: failure }),
      error,
    })
  })
})

describe('accounts that were skipped', () => {
  const ended = (nextAskAt: EndedRefresh['startedAt'] | null, queued = 0): EndedRefresh => ({
    status: queued > 0 ? 'completed' : 'failed',
    target: { scope: 'default' },
    startedAt: NOW,
    completedAt: fromNow(1),
    tally: { queued, done: queued, failed: 0, skipped: { count: 3, nextAskAt } },
    failure: queued > 0 ? null : 'asked_lately',
  })

  it.each([
    {
      nextAskAt: fromNow(600),
      iso: '2026-11-20T12:10:00.000Z',
      error: 'The vendor is not asked before 12:10.',
    },
    { nextAskAt: null, iso: null, error: 'The vendor is not asked before a restart or a reload.' },
  ])('are counted, with the next time: $iso', ({ nextAskAt, iso, error }) => {
    const view = manualRefreshView(ended(nextAskAt), text)

    expect(view).toMatchObject({ queued: 0, skipped: 3, reason: 'asked_lately', error })
    expect(view.nextAskAt).toBe(iso)
    expect(v.is(manualRefreshSchema, view)).toBe(true)
  })

  it('are no failure beside others that were asked about', () => {
    expect(manualRefreshView(ended(fromNow(600), 2), text)).toMatchObject({
      status: 'completed',
      done: 2,
      skipped: 3,
      error: '',
    })
  })

  it('are left out without any', () => {
    const { skipped: _none, ...tally } = ended(null, 1).tally

    expect(manualRefreshView({ ...ended(null, 1), tally }, text)).not.toHaveProperty('nextAskAt')
  })
})
