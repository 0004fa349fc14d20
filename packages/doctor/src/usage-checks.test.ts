import type { Inspected } from '@svc/collector'
import { configWith, type SettingsByName } from '@svc/config/testing'
import { QUEUE_RETENTION_SECONDS_MIN } from '@svc/core/health'
import { describe, expect, it } from 'vitest'
import { QUEUE_SECONDS_ADVISED } from './limits.ts'
import { retentionVerdict, statisticsVerdict, usageVerdict } from './usage-checks.ts'

const answered = <Value>(value: Value): Inspected<Value> =>
  ({ kind: 'ok', value, trace: {} }) as Inspected<Value>
const failed = (httpStatus: number | null) =>
  ({
    kind: 'failed',
    failure: { code: 'server_error', message: 'it failed', httpStatus, retryAfterSeconds: null },
    trace: {},
  }) as never
const config = (changes: Partial<SettingsByName> = {}) =>
  configWith({ stateDb: '/store.db', ...changes })
const NO_STORE = { stateDb: null }
const SWITCHED_OFF = { usageSource: 'off' } as const

describe('the way usage comes', () => {
  it.each<{
    readonly what: string
    readonly config: Partial<SettingsByName>
    readonly route: 'queue' | 'legacy'
    readonly version?: string | null
    readonly expected: readonly [status: string, code: string]
  }>([
    { what: 'a queue', config: {}, route: 'queue', expected: ['ok', 'ok'] },
    { what: 'a tree', config: {}, route: 'legacy', expected: ['ok', 'ok'] },
    {
      what: 'a queue without a store',
      config: NO_STORE,
      route: 'queue',
      expected: ['ok', 'not_read'],
    },
    {
      what: 'a queue, switched off',
      config: SWITCHED_OFF,
      route: 'queue',
      expected: ['ok', 'not_read'],
    },
    {
      what: 'a queue where a tree is wanted',
      config: { usageSource: 'legacy' },
      route: 'queue',
      expected: ['fail', 'wrong_source'],
    },
    {
      what: 'a tree where a queue is wanted',
      config: { usageSource: 'queue' },
      route: 'legacy',
      expected: ['fail', 'wrong_source'],
    },
    {
      what: 'a tree that 6.10.7 does not have any more',
      config: {},
      route: 'legacy',
      version: 'v6.10.7',
      expected: ['warn', 'not_offered'],
    },
    {
      what: 'the queue of 6.10.8',
      config: {},
      route: 'queue',
      version: '6.10.8',
      expected: ['ok', 'ok'],
    },
    {
      what: 'the tree of 6.9.9',
      config: {},
      route: 'legacy',
      version: '6.9.9',
      expected: ['ok', 'ok'],
    },
    {
      what: 'the tree of 6.10.70',
      config: {},
      route: 'legacy',
      version: '6.10.70',
      expected: ['ok', 'ok'],
    },
  ])('$what: $expected', ({ config: changes, route, version = null, expected }) => {
    const { status, code } = usageVerdict(config(changes), answered(route), version)

    expect([status, code]).toEqual(expected)
  })
})

it.each([
  { what: 'on', statistics: answered({ enabled: true }), changes: {}, code: 'ok' },
  { what: 'off', statistics: answered({ enabled: false }), changes: {}, code: 'off' },
  {
    what: 'off where nothing asks for them',
    statistics: answered({ enabled: false }),
    changes: NO_STORE,
    code: 'not_read',
  },
  { what: 'not told by this version', statistics: failed(404), changes: {}, code: 'not_told' },
  { what: 'not answered', statistics: failed(500), changes: {}, code: 'server_error' },
])('usage statistics are $what: $code', ({ statistics, changes, code }) => {
  expect(statisticsVerdict(config(changes), statistics, 'v0').code).toBe(code)
})

it.each([
  {
    what: 'as long as an update takes',
    route: answered('queue' as const),
    retention: answered(QUEUE_SECONDS_ADVISED),
    changes: {},
    expected: 'ok',
  },
  {
    what: 'a second less',
    route: answered('queue' as const),
    retention: answered(QUEUE_SECONDS_ADVISED - 1),
    changes: {},
    expected: 'warn',
  },
  {
    what: 'too short for the change-over of a database',
    route: answered('queue' as const),
    retention: answered(QUEUE_SECONDS_ADVISED - 1),
    changes: { stateDb: 'postgres://db.example/history' },
    expected: 'warn',
  },
  {
    what: 'long enough for it',
    route: answered('queue' as const),
    retention: answered(QUEUE_SECONDS_ADVISED),
    changes: { stateDb: 'postgres://db.example/history' },
    expected: 'ok',
  },
  {
    what: 'a second less, where nothing is read',
    route: answered('queue' as const),
    retention: answered(QUEUE_RETENTION_SECONDS_MIN - 1),
    changes: SWITCHED_OFF,
    expected: 'skip',
  },
  {
    what: 'that of a proxy without a queue',
    route: answered('legacy' as const),
    retention: answered(0),
    changes: {},
    expected: 'skip',
  },
  {
    what: 'unknown since usage did not answer',
    route: failed(500),
    retention: answered(0),
    changes: {},
    expected: 'skip',
  },
  {
    what: 'not told by this version',
    route: answered('queue' as const),
    retention: failed(404),
    changes: {},
    expected: 'skip',
  },
])('retention $what: $expected', ({ route, retention, changes, expected }) => {
  expect(retentionVerdict(config(changes), route, retention, 'v0').status).toBe(expected)
})
