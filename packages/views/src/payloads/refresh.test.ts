import type { EndedRefresh } from '@svc/core/service'
import { fromNow, NOW } from '@svc/core/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import {
  manualRefreshSchema,
  manualRefreshView,
  refreshResultSchema,
  refreshResultView,
  refreshScopeOf,
} from './refresh.ts'

const text = createWording('UTC')

describe('the body of a refresh', () => {
  it.each([
    { body: '', scope: 'default' },
    { body: '{}', scope: 'default' },
    { body: ' { "scope" : "default" } ', scope: 'default' },
    { body: '{"scope":"disabled-diagnostics"}', scope: 'disabled-diagnostics' },
    { body: '{"scope":"all"}', scope: null },
    { body: '{"scope":null}', scope: null },
    { body: '{"Scope":"default"}', scope: null },
    { body: '{"scope":"default","force":true}', scope: null },
    { body: '{"scope":"default","scope":"disabled-diagnostics"}', scope: null },
    { body: '{"scope":"default","\\u0073cope":"default"}', scope: null },
    { body: '[]', scope: null },
    { body: 'null', scope: null },
    { body: '"default"', scope: null },
    { body: '{"scope":"default"', scope: null },
  ])('$body asks for $scope', ({ body, scope }) => {
    expect(refreshScopeOf(body)).toBe(scope)
  })
})

describe('the refresh in the status', () => {
  const tally = { queued: 5, done: 4, failed: 1 }
  const ended = (failure: EndedRefresh['failure']): EndedRefresh => ({
    status: 'partial',
    scope: 'default',
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
    const running = { status: 'running', scope: 'default', startedAt: NOW, tally } as const

    expect(manualRefreshView(running, text)).toEqual({
      status: 'running',
      scope: 'default',
      startedAt: '2026-11-20T12:00:00.000Z',
      completedAt: null,
      ...tally,
      error: '',
    })
    const answer = refreshResultView(running, text)
    expect(v.is(refreshResultSchema, answer)).toBe(true)
    expect(answer).toMatchObject({ ok: true, status: 'running', completedAt: null })
  })

  it.each([
    { failure: null, error: '' },
    { failure: 'quota_off', error: 'Direct quota queries are off: set quota_transport.' },
    { failure: 'deadline', error: 'It took too long.' },
    { failure: 'unauthorized', error: 'The proxy refused the management key.' },
  ] as const)('that ended by $failure says "$error"', ({ failure, error }) => {
    expect(manualRefreshView(ended(failure), text)).toMatchObject({
      completedAt: '2026-11-20T12:00:30.000Z',
      error,
    })
  })
})
