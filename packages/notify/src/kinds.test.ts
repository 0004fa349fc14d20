import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DeliveredNotice, type NotifyKind, notifyKinds } from '@svc/core/notify'
import { NOW } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { checkAddress, deliver, sendTest } from './delivery.ts'
import { alertOf, alertView } from './kinds/alert.ts'
import { worded } from './notifier.ts'
import {
  anAddressFile,
  aReceiver,
  aTarget,
  aToldNotice,
  closeReceivers,
  realClock,
  words,
} from './testing/receivers.ts'

afterEach(closeReceivers)

const paths: Readonly<Record<NotifyKind, string>> = {
  webhook: '/hooks/alerts',
  ntfy: '/my-topic?auth=abc',
  telegram: '/bot123:tok-en/sendMessage?chat_id=-42&message_thread_id=7&parse_mode=HTML',
  discord: '/api/webhooks/1/token?wait=true',
  slack: '/services/T0/B0/token',
  feishu: '/open-apis/bot/v2/hook/token',
  bark: '/devicekey',
}

/** What a receiver of this kind gets of these notices. */
async function received(kind: NotifyKind, notices: readonly DeliveredNotice[], omittedCount = 0) {
  const { url, seen } = await aReceiver()
  const message = worded({ id: 'm', at: NOW, notices, omittedCount }, 'phone', words)
  const target = aTarget(kind, url + paths[kind])
  const failed = await deliver(target, message, { clock: realClock, fetch }, never)
  expect(failed).toBe(null)
  expect(seen).toHaveLength(1)
  const [{ method, path, headers, body } = { method: '', path: '', headers: {}, body: '' }] = seen
  expect({ method, ...headers }).toMatchObject({
    method: 'POST',
    'content-type': 'application/json',
    'user-agent': 'svc-quota-monitor',
  })
  return { path, headers, body, json: JSON.parse(body) as Readonly<Record<string, unknown>> }
}

const never = new AbortController().signal
const down = aToldNotice('gateway_down@tokyo', {
  code: 'gateway_down',
  upstream: 'tokyo',
  remedy: 'Start it.',
})
const low = aToldNotice('capacity_low:week', { tone: 'warn', endsAt: NOW, times: 3 })
const text =
  '• Title of gateway_down@tokyo [tokyo]\nSummary of gateway_down@tokyo.\nStart it.\n• Over: Title of capacity_low:week (3 times)\nand 2 more'

describe('a message', () => {
  it('is the payload of Alertmanager', async () => {
    const { path, json } = await received('webhook', [down, low], 2)

    expect(path).toBe('/hooks/alerts')
    expect(json).toEqual({
      receiver: 'phone',
      status: 'firing',
      alerts: [
        {
          status: 'firing',
          labels: {
            alertname: 'QuotaGatewayDown',
            severity: 'critical',
            id: 'gateway_down@tokyo',
            upstream: 'tokyo',
          },
          annotations: {
            summary: 'Title of gateway_down@tokyo',
            description: 'Summary of gateway_down@tokyo. Start it.',
          },
          startsAt: '2026-11-20T12:00:00.000Z',
          endsAt: '0001-01-01T00:00:00Z',
          generatorURL: '',
          fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
        {
          status: 'resolved',
          labels: {
            alertname: 'QuotaCapacityLow',
            severity: 'warning',
            id: 'capacity_low:week',
            window: 'week',
          },
          annotations: {
            summary: 'Title of capacity_low:week',
            description: 'Summary of capacity_low:week.',
            times: '3',
          },
          startsAt: '2026-11-20T12:00:00.000Z',
          endsAt: '2026-11-20T12:00:00.000Z',
          generatorURL: '',
          fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      ],
      groupLabels: {},
      commonLabels: {},
      commonAnnotations: {},
      externalURL: '',
      groupKey: '{}:{}',
      version: '4',
      truncatedAlerts: 2,
    })
  })

  it.each([
    ['capacity_low:claude:week', { provider: 'claude', window: 'week' }],
    ['nothing_routable:kimi-ai', { provider: 'kimi-ai' }],
    ['capacity_low:acme:5h', { window: '5h' }],
    ['gateway_down@codex', {}],
  ])('labels an alert with the provider and window of %s', (id, expected) => {
    const { provider, window } = alertView({ ...low, id }).labels
    expect({ provider, window }).toEqual({ provider: undefined, window: undefined, ...expected })
  })

  it.each<[NotifyKind, string, object]>([
    [
      'ntfy',
      '/?auth=abc',
      { topic: 'my-topic', title: '1 open, 1 over', message: text, priority: 4 },
    ],
    [
      'telegram',
      '/bot123:tok-en/sendMessage',
      {
        chat_id: '-42',
        message_thread_id: '7',
        text: `1 open, 1 over\n${text}`,
        link_preview_options: { is_disabled: true },
      },
    ],
    [
      'discord',
      '/api/webhooks/1/token?wait=true',
      {
        content: `1 open, 1 over\n${text.replace(/[_[\]()]/g, '\\$&')}`,
        allowed_mentions: { parse: [] },
        flags: 4,
      },
    ],
    [
      'slack',
      '/services/T0/B0/token',
      { text: `1 open, 1 over\n${text}`, mrkdwn: false, unfurl_links: false, link_names: false },
    ],
    [
      'feishu',
      '/open-apis/bot/v2/hook/token',
      { msg_type: 'text', content: { text: `1 open, 1 over\n${text}` } },
    ],
    [
      'bark',
      '/devicekey',
      { title: '1 open, 1 over', body: text, group: 'svc-quota-monitor', level: 'timeSensitive' },
    ],
  ])('is a plain POST to %s', async (kind, path, json) => {
    expect(await received(kind, [down, low], 2)).toMatchObject({ path, json })
  })

  it.each(notifyKinds)(
    'to %s calls nobody, has no mark-up and no broken character',
    async (kind) => {
      const title =
        '@everyone <!channel> <at user_id="all">x</at> [a](http://evil) *b*\n\u202e\ud800'
      const { body, json } = await received(kind, [aToldNotice('a', { title, summary: title })])

      expect(body).not.toMatch(/[\u202a-\u202e]/)
      expect(body).not.toMatch(/\\ud[89a-f]/i)
      if (kind === 'discord') expect(json.content).not.toMatch(/(?<!\\)[<[*]/)
      if (kind === 'slack' || kind === 'feishu') expect(body).not.toContain('<')
      expect(json.parse_mode).toBe(undefined)
    },
  )

  it.each<[NotifyKind, (json: Readonly<Record<string, unknown>>, body: string) => boolean]>([
    ['ntfy', (json, body) => bytes(json.message) <= 4096 && bytes(body) <= 8192],
    ['telegram', ({ text: sent }) => String(sent).length <= 4096],
    ['discord', ({ content }) => String(content).length <= 2000],
    ['slack', ({ text: sent }) => String(sent).length <= 40_000],
    ['feishu', (_, body) => bytes(body) <= 20_000],
    ['bark', (_, body) => bytes(body) <= 4096 - 500],
  ])('is as long as %s takes, cut between two characters', async (kind, fits) => {
    for (const unit of ['x', '🔥', '限', '<_', '"\\']) {
      const notices = Array.from({ length: 20 }, (_, index) =>
        aToldNotice(`n${index}`, { title: unit.repeat(500), summary: unit.repeat(800) }),
      )
      const { json, body } = await received(kind, notices)

      expect(fits(json, body), `${unit} ${bytes(body)}`).toBe(true)
      expect(body).toContain('…')
      expect(body).not.toMatch(/\\ud[89a-f]/i)
    }
  })

  it('for a test is sent to every kind', async () => {
    for (const kind of notifyKinds) {
      const { url, seen } = await aReceiver()

      expect(
        await sendTest(aTarget(kind, url + paths[kind]), words, { clock: realClock, fetch }),
      ).toBe('sent')
      expect(seen[0]?.body).toContain('This is a test.')
    }
  })
})

const bytes = (value: unknown) => Buffer.byteLength(String(value))

/** What ntfy makes of a request, by its manual: `docs.ntfy.sh/publish/#publish-as-json`. */
function readByNtfy({ path, body }: { readonly path: string; readonly body: string }) {
  expect(new URL(path, 'http://ntfy').pathname).toBe('/')
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2 * 4096)
  const { topic, title, message, priority, ...others } = JSON.parse(body) as Record<string, unknown>
  expect(topic).toMatch(/^[-_A-Za-z0-9]{1,64}$/)
  expect([typeof title, typeof message]).toEqual(['string', 'string'])
  expect([1, 2, 3, 4, 5]).toContain(priority)
  expect(others).toEqual({})
  return { topic, event: 'message', title, message }
}

it('a receiver that reads as ntfy does shows the message', async () => {
  const got = await received('ntfy', [
    aToldNotice('限额', { title: '配额用尽', summary: '“明天”恢复' }),
  ])

  expect(readByNtfy(got)).toEqual({
    topic: 'my-topic',
    event: 'message',
    title: '1 open, 0 over',
    message: '配额用尽\n“明天”恢复',
  })
})

describe('an alert', () => {
  const rules = readFileSync(
    join(import.meta.dirname, '../../deploy/src/templates/quota-rules.ts'),
    'utf8',
  )
  const severityIn = (name: string) =>
    new RegExp(`name: '${name}',[\\s\\S]*?severity: '(\\w+)'`).exec(rules)?.[1]

  const codes = [
    'gateway_down',
    'management_key_refused',
    'management_key_missing',
    'management_key_unreadable',
    'management_banned',
    'history_failing',
    'usage_failing',
    'usage_rival',
    'usage_missed',
    'nothing_routable',
    'capacity_low',
    'runway_short',
    'snapshot_stale',
    'snapshot_unavailable',
    'auth_invalid',
    'login_wave',
    'subscription_ends',
  ]

  it.each(codes)('of %s has the name and the severity of the rule that init writes', (code) => {
    const { alertname, severity } = alertOf({ code, tone: 'good' })

    expect(alertname).toMatch(/^Quota/)
    expect(severity).toBe(severityIn(alertname))
  })

  it('has the name of every rule but those about the monitor and about any action', () => {
    const names = codes.map((code) => alertOf({ code, tone: 'good' }).alertname)
    const written = [...rules.matchAll(/name: '(Quota\w+)'/g)].map(([, name]) => name)

    expect(written.filter((name) => !names.includes(name ?? ''))).toEqual([
      'QuotaMonitorDown',
      'QuotaHistoryDisk',
      'QuotaNeedsYou',
    ])
  })

  it.each([
    ['bad', 'critical'],
    ['warn', 'warning'],
    ['good', 'info'],
  ] as const)('of another code in the tone %s is named by the code and %s', (tone, severity) => {
    expect(alertOf({ code: 'deactivated', tone })).toEqual({ alertname: 'deactivated', severity })
  })
})

describe('an address', () => {
  it.each<[NotifyKind, string, string]>([
    ...notifyKinds.map((kind): [NotifyKind, string, string] => [
      kind,
      `https://x.example${paths[kind]}`,
      'ok',
    ]),
    ['webhook', 'http://user:p%40ss@x.example/', 'ok'],
    ['webhook', '  https://x.example/a \n', 'ok'],
    ['webhook', 'https://x.example/a\nhttps://x.example/b', 'several_lines'],
    ['webhook', 'x.example/a', 'bad_address'],
    ['webhook', 'file:///etc/passwd', 'bad_address'],
    ['webhook', 'javascript:alert(1)', 'bad_address'],
    ['webhook', 'http://%ff@x.example/', 'bad_address'],
    ['webhook', ' \n', 'empty'],
    ['telegram', 'https://api.telegram.org/bot1:t/sendMessage', 'bad_address'],
    ['telegram', 'https://api.telegram.org/sendMessage?chat_id=1', 'bad_address'],
    ['ntfy', 'https://ntfy.sh/', 'bad_address'],
    ['ntfy', 'https://ntfy.sh/a/b', 'bad_address'],
    ['bark', 'https://api.day.app/', 'bad_address'],
  ])('of %s that is %j: %s', async (kind, address, expected) => {
    const urlFile = anAddressFile(address)
    const read = await checkAddress({ name: 'phone', kind, urlFile })

    expect(read.kind === 'ok' ? 'ok' : read.reason).toBe(expected)
    expect(JSON.stringify(read)).not.toContain('example')
  })

  it('that is not there is a problem with a reason', async () => {
    const target = { name: 'phone', kind: 'webhook', urlFile: '/nowhere/at/all' } as const

    expect(await checkAddress(target)).toEqual({ kind: 'problem', reason: 'missing' })
  })

  it('has its login sent in a header', async () => {
    const { url, seen } = await aReceiver()
    const target = aTarget('ntfy', `${url.replace('//', '//me:p%40ss@')}/topic`)

    expect(await sendTest(target, words, { clock: realClock, fetch })).toBe('sent')
    expect(seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
    )
  })
})
