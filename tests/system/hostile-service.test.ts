import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs } from '@svc/core'
import { fixedClock } from '@svc/core/testing'
import { afterAll, expect, it } from 'vitest'
import { cli } from '../../apps/cli/src/testing/run-for-test.ts'

const golden = join(import.meta.dirname, '../program/golden')
const answerIn = (file: string) => JSON.parse(readFileSync(join(golden, file), 'utf8')) as unknown
const ranking = answerIn('demo-recommendations.json') as { readonly items: readonly object[] }
const fleet = answerIn('fleet-recommendations.json')
const health = answerIn('demo-health.json')
const [item] = ranking.items
const pick = {
  contractVersion: '1.1',
  sampledAt: null,
  item,
  kept: false,
  reason: 'best',
  text: 'x',
}
const detail = {
  ...(answerIn('demo-account.json') as object),
  items: ranking.items.slice(0, 2),
  quota: answerIn('demo-account-quota.json'),
}

const folder = mkdtempSync(join(tmpdir(), 'svc-hostile-'))
const canary = join(folder, 'ran')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a service may send in place of any text: each would run, move a cursor or forge a line somewhere. */
const HOSTILE = [
  `\n: > ${canary}\n`,
  [
    `\r\n\u2028\u2029: > ${canary}\u0085`,
    `$(: > ${canary})\`: > ${canary}\``,
    `'; : > ${canary}; '"`,
    '\u001b]0;title\u0007\u001b[2J\u001b[31m\u009b2J\u0000\u202e\u2066\u200b',
  ].join(''),
]

interface Asked {
  readonly path: string
  readonly answer: unknown
  readonly verbs: readonly (readonly string[])[]
}

const asked: readonly Asked[] = [
  {
    path: 'recommendations',
    answer: ranking,
    verbs: [
      ['plan', '--priorities'],
      ['plan', '--priorities', '--json'],
      ['plan', '--priorities', '--sh'],
      ['accounts'],
      ['accounts', '--json'],
      ['accounts', '--format', 'csv'],
      ['accounts', '--format', 'names'],
      ['accounts', '--blocked', 'nothing'],
      ['guard'],
      ['guard', '--json'],
    ],
  },
  {
    path: 'recommendations',
    answer: fleet,
    verbs: [['plan', '--priorities', '--sh'], ['accounts']],
  },
  {
    path: 'health',
    answer: health,
    verbs: [
      ...['plain', 'waybar', 'xbar', 'tmux', 'claude'].map((format) => [
        'line',
        '--format',
        format,
      ]),
      ['plan', '--priorities', '--sh'],
    ],
  },
  { path: 'status', answer: answerIn('demo-status.json'), verbs: [['top', '--once']] },
  {
    path: 'pick',
    answer: pick,
    verbs: [['pick'], ['pick', '--json'], ['pick', '--format', '{title} {text} {provider}']],
  },
  {
    path: 'accounts',
    answer: detail,
    verbs: [
      ['why', 'aaaa'],
      ['why', 'aaaa', '--json'],
    ],
  },
]

/** Runs a verb; where its question has no answer here, the ranking or the health of the demo is one. */
async function run(argv: readonly string[], path: string, answer: unknown) {
  const fetch: typeof globalThis.fetch = async (input) => {
    const [, name = ''] = /api\/v1\/(\w+)/.exec(String(input)) ?? []
    const headers = { Date: 'Fri, 20 Nov 2026 12:00:30 GMT' }
    if (name === path) return Response.json(answer, { headers })
    const one = {
      ...ranking,
      items: [
        {
          ...item,
          selector: { authName: 'a', authIndex: '', accountKey: 'aaaa' },
          accountKey: 'aaaa',
        },
      ],
    }
    if (name === 'health') return Response.json(health)
    return name === 'recommendations' ? Response.json(one) : new Response(null, { status: 404 })
  }
  const at = epochMs(Date.parse('2026-11-20T12:00:00Z'))
  return await cli([...argv, '--url', 'http://at.example'], {
    fetch,
    env: { XDG_STATE_HOME: join(folder, 'state'), NO_COLOR: '1' },
    clock: { ...fixedClock(), now: () => at },
  })
}

/** Places of the texts, those of like members of a list once. */
function textPlaces(value: unknown, place: readonly string[] = []): Map<string, readonly string[]> {
  if (typeof value === 'string') return new Map([[place.join('.').replace(/\d+/g, '*'), place]])
  const inner = Object.entries(Object(value))
  return new Map(inner.flatMap(([key, one]) => [...textPlaces(one, [...place, key])]))
}

function withText(value: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return text
  const changed = withText(Reflect.get(Object(value), key), rest, text)
  if (Array.isArray(value))
    return value.map((one: unknown, at) => (at === Number(key) ? changed : one))
  return { ...Object(value), [key]: changed }
}

/** All but line breaks that moves a cursor, turns text or ends a line. */
const CONTROLS = /(?!\r?\n)[\p{Cc}\p{Zl}\p{Zp}]|\p{Bidi_Control}/u
const linesIn = (text: string) => text.split('\n').length
/** Lines of a terminal that a text fills, whose characters that are not shown are written as their codes. */
const linesTaken = (text: string) =>
  Math.ceil(text.replace(/[^ -~]/g, (one) => `\\u{${one.charCodeAt(0).toString(16)}}`).length / 80)

const rows = asked.flatMap(({ path, answer, verbs }) =>
  verbs.map((argv) => ({ verb: argv.join(' '), argv, path, answer })),
)

it.each(rows)(
  '$verb: no text of the service is more than a text',
  async ({ argv, path, answer }) => {
    const usual = await run(argv, path, answer)
    rmSync(join(folder, 'state'), { recursive: true, force: true })
    expect(usual.code).toBeLessThan(3)
    for (const place of textPlaces(answer).values())
      for (const hostile of HOSTILE) {
        const { code, stdout, stderr } = await run(argv, path, withText(answer, place, hostile))
        const told = { place: place.join('.'), hostile, code, stdout, stderr }

        expect([0, 1, 3, 4], JSON.stringify(told)).toContain(code)
        expect(stdout + stderr, JSON.stringify(told)).not.toMatch(CONTROLS)
        // Why wraps its texts, accounts its first ones, and a change may go with the name of its account.
        const wrapped = argv[0] === 'accounts' ? linesTaken(hostile) : 0
        if (code === usual.code && argv[0] !== 'why')
          expect(linesIn(stdout), JSON.stringify(told)).toBeLessThanOrEqual(
            linesIn(usual.stdout) + wrapped,
          )
        expect(linesIn(stderr), JSON.stringify(told)).toBeLessThanOrEqual(2)
        if (argv.includes('--sh')) runScript(stdout)
      }
    expect(existsSync(canary)).toBe(false)
  },
)

/** The commands of a script, with a `curl` that only reads; nothing else may run, and nothing may be undefined. */
function runScript(script: string): void {
  const variables = [...script.matchAll(/"\$\{((?:KEY_FILE|PROXY_URL)[A-Z0-9_]*):\?\}"/g)]
  const { status, stderr } = spawnSync('sh', [], {
    input: `curl() { cat >/dev/null; }\n${script}`,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH ?? '',
      ...Object.fromEntries(variables.map(([, name]) => [name, import.meta.filename])),
    },
  })
  expect([status, stderr], script).toEqual([0, ''])
}
