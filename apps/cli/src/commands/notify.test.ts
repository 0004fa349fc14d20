import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { virtualClock } from '@svc/core/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { cli } from '../testing/run-for-test.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-notify-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const table = (name: string) =>
  `[[notify]]\nname = "${name}"\nkind = "webhook"\nurl_file = "${name}"\n`
for (const name of ['good', 'full', 'gone'])
  writeFileSync(join(folder, name), `https://receiver.example/canary/${name}\n`, { mode: 0o600 })

const asked = async (
  argv: readonly string[],
  names = ['good', 'full', 'gone', 'none'],
  env: Readonly<Record<string, string>> = {},
) => {
  const sent: string[] = []
  const outcome = await cli(['notify', '--config', join(folder, 'config.toml'), ...argv], {
    clock: virtualClock(() => new Promise((resolve) => setImmediate(resolve))),
    env,
    readTextFile: () => names.map(table).join(''),
    fetch: async (input, init) => {
      const { href } = new URL(String(input))
      sent.push(`${href} ${String(init?.body)}`)
      if (href.endsWith('gone')) throw new TypeError('fetch failed canary')
      return new Response('canary', { status: href.endsWith('full') ? 429 : 200 })
    },
  })
  return { ...outcome, sent }
}

describe('notify', () => {
  it('sends one test to each target and says what became of it, without its address', async () => {
    const { code, stdout, stderr, sent } = await asked(['--test'])

    expect(code).toBe(1)
    expect(stdout.split('\n')).toEqual([
      'good: sent',
      expect.stringMatching(/^full: not sent: the receiver takes no more messages for now\. \S/),
      expect.stringMatching(/^gone: not sent: the receiver cannot be reached\. \S/),
      expect.stringMatching(/^none: not sent: the file with the address .* cannot be used\. \S/),
      '',
    ])
    expect(sent).toHaveLength(3)
    for (const one of sent) expect(one).toContain('This is a test')
    expect(stdout + stderr).not.toContain('canary')
  })

  it('sends it to the named one alone, wherever the name stands', async () => {
    for (const argv of [
      ['--test', 'good'],
      ['good', '--test'],
    ]) {
      const { code, stdout, sent } = await asked(argv)

      expect({ code, stdout }).toEqual({ code: 0, stdout: 'good: sent\n' })
      expect(sent).toHaveLength(1)
    }
  })

  it('sends it in the language of the service', async () => {
    const language = 'SVC_QUOTA_MONITOR_DISPLAY_LANGUAGE'
    const { stdout, sent } = await asked(['--test', 'good'], ['good'], { [language]: 'zh-CN' })

    expect(stdout).toBe('good: sent\n')
    expect(sent.join()).toMatch(/\p{Script=Han}/u)
  })

  it('prints the codes as JSON', async () => {
    const { code, stdout } = await asked(['--test', '--json'], ['good', 'none'])

    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      targets: [
        { name: 'good', kind: 'webhook', outcome: 'sent' },
        { name: 'none', kind: 'webhook', outcome: 'address_unreadable' },
      ],
    })
  })

  it.each([
    [[], ['good'], /^svc-quota-monitor: notify needs --test/],
    [['--test'], [], /^svc-quota-monitor: no \[\[notify\]\] table/],
    [
      ['--test', 'goood'],
      ['good', 'full'],
      /^svc-quota-monitor: no target is named "goood": there are good, full\n$/,
    ],
  ])('%j with the targets %j is a mistake of usage', async (argv, names, message) => {
    const { code, stdout, stderr, sent } = await asked(argv, names)

    expect({ code, stdout, sent }).toEqual({ code: 2, stdout: '', sent: [] })
    expect(stderr).toMatch(message)
  })
})
