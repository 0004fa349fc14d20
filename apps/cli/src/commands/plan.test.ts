import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { instantToIso } from '@svc/core'
import { fromNow, NOW } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cli } from '../testing/run-for-test.ts'

let state = ''
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'svc-plan-'))
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

const memoryFile = () => join(state, 'svc-quota-monitor/plan.json')

interface ItemChanges {
  readonly blocked?: readonly (readonly [slug: string, untilSeconds: number | null])[]
  readonly windows?: readonly object[]
  readonly upstream?: string
  readonly score?: number
  readonly priority?: number
  readonly provider?: string
}

function anItem(name: string, changes: ItemChanges = {}) {
  const { blocked = [], windows = [], upstream, score = 50, priority, provider } = changes
  return {
    selector: { authName: `${name}.json`, authIndex: '', accountKey: name },
    upstream,
    provider,
    routingEligible: blocked.length === 0,
    routingScore: blocked.length === 0 ? score : 0,
    priority,
    routingBlockedReasons: blocked.map(([slug]) => slug),
    blocked: blocked.map(([slug, seconds]) => ({
      slug,
      until: seconds === null ? null : instantToIso(fromNow(seconds)),
      text: slug,
    })),
    quotaWindows: windows,
  }
}

const usedUp = (seconds: number | null) => ['quota_exhausted_week', seconds] as const
const off = ['operator_disabled', null] as const

interface PlanOptions {
  readonly kind?: string
  readonly url?: string
  /** Provider of the answer; `pools`: every provider that has accounts. */
  readonly provider?: string
  readonly pools?: readonly object[]
  /** Generation of the management API, by proxy. */
  readonly generations?: Readonly<Record<string, string>>
}

/** `plan` of a service with these accounts. */
async function plan(
  items: readonly object[],
  args: readonly string[] = [],
  { kind = 'live', url = 'http://127.0.0.1:4515', generations = {}, ...more }: PlanOptions = {},
) {
  return await cli(['plan', '--url', url, ...args], {
    env: { XDG_STATE_HOME: state },
    readTextFile: (path) => readFileSync(path, 'utf8'),
    fetch: async (input) =>
      urlOf(input).endsWith('/api/v1/health')
        ? Response.json({
            ...JSON.parse(readFileSync(goldenOf('health'), 'utf8')),
            sources: sourcesOf(generations),
          })
        : Response.json({
            sampledAt: instantToIso(NOW),
            source: { kind, text: 'No answer yet', gatewayOk: true },
            ...more,
            items,
          }),
  })
}

const urlOf = (input: Request | URL | string) =>
  input instanceof Request ? input.url : String(input)
const goldenOf = (payload: 'health' | 'recommendations') =>
  join(import.meta.dirname, `../../../../tests/program/golden/demo-${payload}.json`)

/** Account lists of proxies in a health answer, by name; a proxy alone has the name ''. */
function sourcesOf(generations: Readonly<Record<string, string>>) {
  const [source] = JSON.parse(readFileSync(goldenOf('health'), 'utf8')).sources
  return Object.entries(generations).map(([upstream, generation]) => ({
    ...source,
    generation,
    ...(upstream !== '' && { upstream }),
  }))
}

describe('plan', () => {
  it('says what to switch off, until when and why, and nothing of others', async () => {
    const { code, stdout, stderr } = await plan([
      anItem('fine'),
      anItem('used', { blocked: [usedUp(7200)] }),
      anItem('endless', { blocked: [usedUp(null), ['upstream_retry_after', 60]] }),
      anItem('waiting', { blocked: [['upstream_retry_after', 60]] }),
      anItem('operators', { blocked: [off, usedUp(7200)] }),
      anItem('evil\u001b[2J\n', { blocked: [usedUp(7200)] }),
    ])

    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toBe(
      'switch off  used.json  Weekly quota used up, until 14:00\n' +
        'switch off  endless.json  Weekly quota used up, nobody knows until when\n' +
        'switch off  evil\\u{1b}[2J\\u{a}.json  Weekly quota used up, until 14:00\n',
    )
  })

  it.each([
    [[], 'plan.txt'],
    [['--sh', '--priorities'], 'plan.sh.txt'],
    [['--json', '--priorities'], 'plan.json'],
  ])('golden: %j of the demo', async (args, file) => {
    const { stdout } = await cli(['plan', '--url', 'http://127.0.0.1:4516', ...args], {
      env: { XDG_STATE_HOME: state },
      fetch: async (input) =>
        new Response(
          readFileSync(goldenOf(urlOf(input).endsWith('/health') ? 'health' : 'recommendations')),
        ),
    })

    await expect(stdout).toMatchFileSnapshot(join(import.meta.dirname, '../golden', file))
  })

  it('switches on what it had switched off: after the reset, and by a newer reading', async () => {
    await plan([anItem('a', { blocked: [usedUp(-1)] }), anItem('b', { blocked: [usedUp(7200)] })])
    const read = { state: 'known', percent: 100, sampledAt: instantToIso(fromNow(60)) }
    const items = [
      anItem('a', { blocked: [off] }),
      anItem('b', { blocked: [off], windows: [read, { state: 'absent', sampledAt: null }] }),
      anItem('c', { blocked: [off], windows: [read] }),
    ]

    expect(await plan(items)).toMatchObject({
      code: 1,
      stdout:
        'switch on   a.json  Weekly quota used up until 11:59\n' +
        'switch on   b.json  quota left by the reading at 12:01\n',
    })
  })

  it('lists what is off because of it: since when, why and until when', async () => {
    const used = (name: string, seconds: number | null, ...more: readonly (typeof off)[]) =>
      anItem(name, { blocked: [...more, usedUp(seconds)] })
    await plan([used('a', 334_200), used('b', null), used('c', 60)])
    const items = [used('a', 334_200, off), used('b', null, off), used('mine', 60, off)]

    expect(await plan(items)).toMatchObject({
      code: 0,
      stdout:
        'Nothing to change at the proxy.\n' +
        'off         a.json  since 12:00 because weekly quota used up until Tue 08:50\n' +
        'off         b.json  since 12:00 because weekly quota used up, nobody knows until when\n',
    })
    expect(JSON.parse((await plan(items, ['--json'])).stdout)).toMatchObject({
      changes: [],
      off: [
        {
          authName: 'a.json',
          reasons: ['quota_exhausted_week'],
          since: instantToIso(NOW),
          until: instantToIso(fromNow(334_200)),
          text: 'since 12:00 because weekly quota used up until Tue 08:50',
        },
        { authName: 'b.json', until: null },
      ],
    })
  })

  it('remembers what it proposed of other providers than it is asked for', async () => {
    const pools = [{ provider: 'codex' }, { provider: 'claude' }]
    await plan([anItem('a', { blocked: [usedUp(-1)] })], [], { provider: 'codex', pools })
    await plan([anItem('c', { blocked: [usedUp(-1)] })], [], { provider: 'claude', pools })

    expect(
      (await plan([anItem('a', { blocked: [off] })], [], { provider: 'codex', pools })).stdout,
    ).toContain('switch on   a.json')
    await plan([anItem('c', { blocked: [usedUp(-1)] })], [], { provider: 'all', pools })
    expect(readFileSync(memoryFile(), 'utf8')).not.toContain('a.json')
    expect(readFileSync(memoryFile(), 'utf8')).toContain('c.json')
  })

  it('names the proxy where there are several, also for programs', async () => {
    const items = [anItem('a', { blocked: [usedUp(7200)], upstream: 'tokyo' })]

    expect((await plan(items)).stdout).toContain('a.json at tokyo  Weekly')
    expect(JSON.parse((await plan(items, ['--json'])).stdout)).toEqual({
      sampledAt: instantToIso(NOW),
      changes: [
        {
          upstream: 'tokyo',
          authName: 'a.json',
          kind: 'switch_off',
          reasons: ['quota_exhausted_week'],
          until: instantToIso(fromNow(7200)),
          text: 'Weekly quota used up, until 14:00',
        },
      ],
    })
  })

  it('has the addresses of the configuration where that is the service', async () => {
    const items = [anItem('a', { blocked: [usedUp(7200)] })]
    writeFileSync(join(state, 'c.toml'), 'upstream_url = "https://proxy.example:8317/x/"\n')

    expect((await plan(items, ['--sh'])).stdout).toMatch(/"\$\{PROXY_URL:\?\}"\/v0\/management/)
    expect((await plan(items, ['--sh', '--config', join(state, 'c.toml')])).stdout).toContain(
      "'https://proxy.example:8317/x'/v0/management/auth-files/status ",
    )
  })

  it('takes the routes of the generation that each proxy has', async () => {
    const blocked = [usedUp(7200)]
    const one = await plan([anItem('a', { blocked })], ['--sh'], { generations: { '': 'v8' } })
    expect(one.stdout).toContain('"/v8/management/credentials/status ')
    const generations = { tokyo: 'v8', berlin: 'v0' }
    const items = ['tokyo', 'berlin', 'osaka'].map((upstream) => anItem('a', { blocked, upstream }))
    const { stdout } = await plan(items, ['--sh'], { generations })

    expect(stdout.match(/PROXY_URL_\w+:\?\}"\/v\d/g)).toEqual([
      'PROXY_URL_TOKYO:?}"/v8',
      'PROXY_URL_BERLIN:?}"/v0',
      'PROXY_URL_OSAKA:?}"/v0',
    ])
  })

  it('remembers for each service apart, in a file for the user alone', async () => {
    await plan([anItem('a', { blocked: [usedUp(-1)] })])
    await plan([anItem('b', { blocked: [usedUp(-1)] })], [], { url: 'http://127.0.0.1:4999' })
    expect(statSync(memoryFile()).mode & 0o777).toBe(0o600)

    expect((await plan([anItem('a', { blocked: [off] })])).stdout).toContain('switch on   a.json')
    await plan([anItem('a')])
    expect(readFileSync(memoryFile(), 'utf8')).not.toContain('a.json')
    expect(readFileSync(memoryFile(), 'utf8')).toContain('b.json')
  })

  it.each(['unavailable', 'stale'])(
    'makes no plan of a pool that is %s, and forgets nothing',
    async (kind) => {
      await plan([anItem('a', { blocked: [usedUp(-1)] })])

      expect(await plan([anItem('other')], [], { kind })).toEqual({
        code: 3,
        stdout: '',
        stderr: 'svc-quota-monitor: no plan, because the pool is not known: No answer yet\n',
      })
      expect(await plan([anItem('a', { blocked: [off] })])).toMatchObject({ code: 1 })
    },
  )

  it.each([
    ['no JSON', '{'],
    ['another version', '{"version":2,"services":{}}'],
    ['no list', '{"version":1,"services":{"x":{}}}'],
    [
      'an end that is no time',
      '{"version":1,"services":{"http://127.0.0.1:4515":[{"upstream":"default","authName":"a","reasons":[],"proposedAt":1767225600000,"until":"soon"}]}}',
    ],
    ...(
      [
        ['a command in the name of a proxy', { upstream: 'a}$(id)' }],
        ['a line break in a reason', { reasons: ['quota_exhausted_week\nid'] }],
        ['a reason of another kind', { reasons: ['operator_disabled'] }],
        ['a time that no calendar has', { proposedAt: 8e15 }],
      ] as const
    ).map(([what, wrong]): [string, string] => [
      what,
      JSON.stringify({
        version: 1,
        services: {
          'http://127.0.0.1:4515': [
            {
              upstream: 'default',
              authName: 'a',
              reasons: [],
              proposedAt: 0,
              until: null,
              ...wrong,
            },
          ],
        },
      }),
    ]),
  ])('refuses a memory with %s', async (_what, text) => {
    mkdirSync(join(state, 'svc-quota-monitor'))
    writeFileSync(memoryFile(), text)
    const { code, stdout, stderr } = await plan([anItem('a', { blocked: [usedUp(60)] })])

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`${memoryFile()}, is damaged: move it away`)
    expect(readFileSync(memoryFile(), 'utf8')).toBe(text)
  })

  it('proposes nothing that it cannot remember', async () => {
    writeFileSync(join(state, 'svc-quota-monitor'), 'a file in the place of the folder')
    const { code, stdout, stderr } = await plan([anItem('a', { blocked: [usedUp(60)] })])

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/plan\.json, cannot be (read|written) \(ENOTDIR|EEXIST\)/)
  })
})
