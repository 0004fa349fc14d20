import { expect, it } from 'vitest'
import { answering } from '../testing/answering.ts'
import { cli } from '../testing/run-for-test.ts'

const SOURCE = 'No data yet: no management key'
const source = { kind: 'unavailable', text: SOURCE, gatewayOk: false }
const health = { source: 'unavailable', sourceText: SOURCE }
const answer = { code: 'proxy_down', tone: 'bad', text: 'The proxy does not answer.', at: null }
const unread = answering({
  '/api/v1/recommendations': { source, items: [] },
  '/api/v1/pick': { item: null, reason: 'none_listed', text: 'No account is listed.' },
  '/api/v1/health': { ...health, answer },
  '/api/v1/status': health,
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
])('%s %s %s ends with 3 where nothing is known yet, and says the answer', async (...argv) => {
  const { code, stderr } = await cli([...argv, '--url', 'http://at.example'], { fetch: unread })

  expect(code).toBe(3)
  expect(stderr).toBe('svc-quota-monitor: The proxy does not answer.\n')
})

it('a health check ends with 0 as soon as the service answers, and with 4 before', async () => {
  const check = (fetch: typeof unread) =>
    cli(['line', '--alive', '--url', 'http://at.example'], { fetch })

  expect(await check(unread)).toMatchObject({ code: 0, stderr: '' })
  expect((await check(() => Promise.reject(new TypeError('refused')))).code).toBe(4)
})
