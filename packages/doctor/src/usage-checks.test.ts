import type { Inspected } from '@svc/collector'
import { configWith } from '@svc/config/testing'
import { expect, it } from 'vitest'
import { retentionVerdict, usageVerdict } from './usage-checks.ts'

const answered = <Value>(value: Value): Inspected<Value> =>
  ({ kind: 'ok', value, trace: {} }) as Inspected<Value>
const failed = {
  kind: 'failed',
  failure: { code: 'server_error', message: 'it failed', httpStatus: 500, retryAfterSeconds: null },
  trace: {},
} as never
const config = configWith({ stateDb: '/store.db' })

it.each([
  { route: 'queue', version: '6.10.8', code: 'ok' },
  { route: 'legacy', version: null, code: 'ok' },
  { route: 'legacy', version: 'v6.10.7', code: 'not_offered' },
  { route: 'legacy', version: '6.9.9', code: 'ok' },
  { route: 'legacy', version: '6.10.70', code: 'ok' },
] as const)('usage by the $route of $version: $code', ({ route, version, code }) => {
  expect(usageVerdict(config, answered(route), version).code).toBe(code)
})

it('usage that is switched off is not read', () => {
  const off = configWith({ stateDb: '/store.db', usageSource: 'off' })

  expect(usageVerdict(off, answered('queue'), null)).toMatchObject({
    status: 'ok',
    code: 'not_read',
  })
})

it.each([
  { what: 'a tree', route: answered('legacy' as const) },
  { what: 'usage that did not answer', route: failed },
])('the retention of $what is passed over', ({ route }) => {
  expect(retentionVerdict(config, route, answered(0), 'v0').status).toBe('skip')
})
