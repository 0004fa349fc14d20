import { spawnSync } from 'node:child_process'
import type { PlanChange } from '@svc/core/pool'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scriptOf, type WordedChange } from './plan-script.ts'

const worded = (changes: Partial<PlanChange> & { readonly authName: string }): WordedChange => ({
  change: {
    kind: 'switch_off',
    upstream: 'default',
    reasons: [],
    until: null,
    ...changes,
  } as PlanChange,
  reason: 'why',
  line: 'switch off',
})

const NOWHERE = { urls: new Map(), isFleet: false, generations: new Map() }

/** Arguments with which sh calls `curl`, which prints them, in the words of the script. */
function callsOf(script: string, env: Readonly<Record<string, string>>): readonly string[][] {
  const ran = spawnSync('sh', [], {
    input: `curl() { cat >/dev/null; printf '%s\\n' "$@" --; }\n${script}`,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH ?? '',
      KEY_FILE: import.meta.filename,
      PROXY_URL: 'http://p',
      ...env,
    },
  })
  expect([ran.status, ran.stderr]).toEqual([0, ''])
  return ran.stdout
    .split('--\n')
    .filter((call) => call !== '')
    .map((call) => call.trimEnd().split('\n'))
}

describe('the script of a plan', () => {
  it('is empty without a change', () => {
    expect(scriptOf([], NOWHERE)).toBe('')
  })

  it('says to the proxy the very name, whatever it holds', () => {
    const names = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1 })
    const hostile = [
      "'",
      '"',
      '$(id)',
      '`id`',
      '\\',
      '\n',
      "'\\''",
      '!!',
      '-rf',
      '*',
      '~',
      '\u0000',
    ]
    fc.assert(
      fc.property(fc.oneof(names, fc.subarray(hostile, { minLength: 1 })), (authNames) => {
        const script = scriptOf(
          authNames.map((authName) => worded({ authName })),
          NOWHERE,
        )

        const bodies = callsOf(script, {}).map((call) => JSON.parse(call.at(-2) ?? ''))
        expect(bodies).toEqual(authNames.map((name) => ({ name, disabled: true })))
      }),
      { numRuns: 30 },
    )
  })

  it.each(['\nid', '\r\nid', '\u2028id', '\u0000\nid', "'\n$(id)", '`id`', '\u001b[2Jid'])(
    'runs nothing of %j in a line or in the name of a proxy',
    (hostile) => {
      const changes = [
        { ...worded({ authName: 'a' }), line: `switch off${hostile}` },
        worded({ authName: hostile, upstream: hostile }),
      ]
      const script = scriptOf(changes, { urls: new Map(), isFleet: true, generations: new Map() })

      const added = script.split('\n').slice(8, -1)
      expect(added).toHaveLength(4)
      expect(added.join('')).not.toMatch(/[^\x20-\x7e]/)
      for (const line of added)
        expect(line).toMatch(/^(?:# |change "\$\{KEY_FILE_[A-Z0-9_]+:\?\}" )/)
    },
  )

  it('asks each of several proxies at its own address with its own key', () => {
    const script = scriptOf(
      [
        worded({ authName: 'a', upstream: 'tokyo' }),
        worded({ authName: 'b', upstream: 'new-york', kind: 'set_priority', to: 2 }),
      ],
      { urls: new Map([['tokyo', "http://tokyo/it's"]]), isFleet: true, generations: new Map() },
    )

    expect(script).toContain('KEY_FILE_TOKYO')
    expect(
      callsOf(script, {
        KEY_FILE_TOKYO: import.meta.filename,
        KEY_FILE_NEW_YORK: import.meta.filename,
        PROXY_URL_NEW_YORK: 'http://ny',
      }).map((call) => call.slice(-2)),
    ).toEqual([
      ['{"name":"a","disabled":true}', "http://tokyo/it's/v0/management/auth-files/status"],
      ['{"name":"b","priority":2}', 'http://ny/v0/management/auth-files/fields'],
    ])
  })

  it.each([{ KEY_FILE: '' }, { KEY_FILE: '/nonexistent' }, { PROXY_URL: '' }])(
    'calls nobody with %j',
    (env) => {
      const ran = spawnSync('sh', [], {
        input: `curl() { echo called; }\n${scriptOf([worded({ authName: 'a' })], NOWHERE)}`,
        encoding: 'utf8',
        env: {
          PATH: process.env.PATH ?? '',
          KEY_FILE: import.meta.filename,
          PROXY_URL: 'x',
          ...env,
        },
      })

      expect(ran.status).not.toBe(0)
      expect(ran.stdout).toBe('')
      expect(ran.stderr).toMatch(/KEY_FILE|no key in|PROXY_URL/)
    },
  )
})
