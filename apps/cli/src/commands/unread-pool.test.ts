import { expect, it } from 'vitest'
import { answering } from '../testing/answering.ts'
import { cli } from '../testing/run-for-test.ts'

const REASON = 'No data yet: waiting for a management key'
const source = { kind: 'unavailable', text: REASON, gatewayOk: false }
const unread = answering({
  '/api/v1/recommendations': { source, items: [] },
  '/api/v1/pick': { item: null, reason: 'none_listed', text: 'No account is listed.' },
  '/api/v1/health': { source: 'unavailable', sourceText: REASON },
  '/api/v1/status': { source: 'unavailable', sourceText: REASON },
  '/api/v1/accounts/ana': () => Response.json({ error: 'Unknown.' }, { status: 404 }),
})

it.each([
  ['pick'],
  ['pick', '--json'],
  ['guard'],
  ['guard', '--json'],
  ['accounts'],
  ['accounts', '--json'],
  ['accounts', '--format', 'csv'],
  ['accounts', '--blocked', 'cooldown'],
  ['why', 'ana'],
  ['top', '--once'],
  ['plan'],
  ['plan', '--sh'],
  ['line'],
  ['line', '--format', 'waybar'],
])('%s %s %s ends with 3 where nothing is known yet, and says why', async (...argv) => {
  const { code, stderr } = await cli([...argv, '--url', 'http://at.example'], { fetch: unread })

  expect(code).toBe(3)
  expect(stderr).toMatch(/^svc-quota-monitor: .*No data yet: waiting for a management key\n$/)
})
