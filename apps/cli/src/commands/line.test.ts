import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { epochMs } from '@svc/core'
import { fixedClock, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { CliContext } from '../program/cli-context.ts'
import { cli } from '../testing/run-for-test.ts'

const URL_FLAGS = ['--url', 'http://127.0.0.1:4516']
const formats = ['plain', 'waybar', 'xbar', 'tmux', 'claude'] as const

/** Health of the demo at the instant of its golden files, as if Codex were its only provider. */
const { pools: _pools, ...demo } = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../../../../tests/program/golden/demo-health.json'),
    'utf8',
  ),
)
const { fiveHour, week } = demo.capacity

interface Asked {
  readonly format?: string
  readonly env?: CliContext['env']
  readonly fetch?: typeof fetch
}

/** The command's outcome 20 s after the demo's answer, changed as given. */
const shown = (changes: object, { format = 'plain', ...context }: Asked = {}) =>
  cli(['line', '--format', format, ...URL_FLAGS], {
    clock: fixedClock(epochMs(NOW + 20_000)),
    fetch: () => Promise.resolve(Response.json({ ...demo, ...changes })),
    ...context,
  })

const inHours = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString()
const answer = (code: string, tone: string, more: object = {}) => ({
  answer: { code, tone, text: 'x', at: null, window: null, nextReturn: null, ...more },
})
const capacity = (changes: object) => ({
  capacity: { fiveHour: { ...fiveHour, ...changes }, week },
})

const aWindow = (id: string, usableUnits: number, trackedUnits: number, changes: object = {}) => ({
  ...{ id, knownUnits: 9, usableUnits, trackedUnits, unknownUnits: 0, usableStaleUnits: 0 },
  usablePercent: (100 * usableUnits) / trackedUnits,
  ...changes,
})
const counts = { accounts: 3, routable: 2, blocked: 1, untracked: 0 }
const codex = {
  ...{ provider: 'codex', label: 'Codex', unit: 'plus', ...counts, window: 'week' },
  windows: [aWindow('5h', 19.2, 41), aWindow('week', 2, 41)],
}
const claude = {
  ...{ provider: 'claude', label: 'Claude', unit: 'pro', ...counts, window: 'week' },
  windows: [aWindow('5h', 4, 6, { usablePercent: null, unknownUnits: 2 }), aWindow('week', 2.2, 6)],
}
const kimi = {
  ...{ provider: 'kimi', label: 'Kimi', unit: 'accounts', ...counts, window: 'month' },
  windows: [
    aWindow('5h', 0, 4, { usablePercent: null, unknownUnits: 4 }),
    aWindow('month', 1.6, 4, { usableStaleUnits: 1.6 }),
  ],
}
const antigravity = {
  ...{ provider: 'antigravity', label: 'Antigravity', unit: 'accounts' },
  ...{ ...counts, accounts: 4, routable: 3, windows: [] },
}
const bound = { usablePercent: null, atLeast: true }
const unread = {
  ...{ ...claude, window: null },
  windows: [aWindow('5h', 0, 0, { knownUnits: 0, ...bound })],
}
const oneQuantity = (ids: readonly string[], ...others: readonly object[]) => ({
  ...{ provider: 'xai', label: 'xAI', unit: 'accounts', ...counts },
  windows: [...others, ...ids.map((id) => aWindow(id, 1.5, 3, { sharedBy: ids }))],
})
const of = (provider: string, ...pools: readonly object[]) => ({
  ...answer('go', 'good', { window: 'fiveHour' }),
  provider,
  pools,
})

describe('line', () => {
  it.each(formats)('golden: the demo for %s, without the name of an account', async (format) => {
    const { code, stdout, stderr } = await shown({}, { format })

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toMatch(/@|night-shift/)
    await expect(stdout).toMatchFileSnapshot(`../golden/line-${format}.txt`)
  })

  it.each<readonly [what: string, changes: object, expected: string]>([
    [
      'the week binds, and runs dry soon',
      answer('hurry', 'warn', {
        at: inHours(1.5),
        window: 'week',
        nextReturn: { at: inHours(93.5), units: 3 },
      }),
      'week 15.7 of 41 Plus · dry 13:30 · +3.0 Tue 09:30 · warn · 20 s ago',
    ],
    [
      'nothing is routable',
      answer('wait', 'bad', { at: inHours(1), nextReturn: { at: inHours(1), units: 0.04 } }),
      'no account routable · +<0.1 13:00 · bad · 20 s ago',
    ],
    [
      'nothing is routable, and what returns is not known',
      answer('wait', 'bad', { at: inHours(1), nextReturn: { at: inHours(1), units: null } }),
      'no account routable · return 13:00 · bad · 20 s ago',
    ],
    [
      'nothing is routable, and no return is known',
      answer('wait', 'bad'),
      'no account routable · no return known · bad · 20 s ago',
    ],
    [
      'the list of accounts is stale',
      { ...answer('proxy_down', 'bad'), sampledAt: inHours(-3) },
      'proxy down · bad · 3h 00min ago',
    ],
    [
      'the monitor is silent',
      { ...answer('monitor_silent', 'bad'), sampledAt: inHours(-50) },
      'monitor silent · bad · 2d 2h ago',
    ],
    [
      'the first round is under way',
      { ...answer('not_ready', 'unknown'), firstRound: { accountsRead: 3, accountsToRead: 24 } },
      '3 of 24 accounts read · unknown · 20 s ago',
    ],
    [
      'nothing was read yet',
      { ...answer('not_ready', 'unknown'), sampledAt: undefined },
      'quota not known yet · unknown',
    ],
    [
      'the units are a lower bound',
      { ...capacity({ atLeast: true }), ...answer('go', 'good', { window: 'fiveHour' }) },
      '5h ≥19.2 of 41 Plus · ok · 20 s ago',
    ],
    [
      'all readings are stale',
      {
        ...capacity({ staleUnits: fiveHour.usableUnits }),
        ...answer('go', 'good', { window: 'fiveHour' }),
      },
      '5h 19.2 of 41 Plus stale · ok · 20 s ago',
    ],
    [
      'the units of the routable accounts are unknown',
      {
        ...capacity({ usableUnits: 0 }),
        ...answer('go', 'good', { window: 'fiveHour' }),
      },
      '5h unknown of 41 Plus · ok · 20 s ago',
    ],
  ])('says in few words: %s', async (_what, changes, expected) => {
    expect(await shown(changes)).toEqual({ code: 0, stdout: `${expected}\n`, stderr: '' })
  })

  it.each<readonly [what: string, changes: object, expected: string]>([
    [
      'Claude alone, whose pool names the window that limits it',
      of('claude', claude),
      'Claude week 2.2 of 6 Pro · ok · 20 s ago',
    ],
    [
      'Kimi, whose month no main window says',
      of('kimi', claude, kimi),
      'Kimi month 1.6 of 4 accounts stale · ok · 20 s ago',
    ],
    [
      'a vendor that reports no quota',
      { ...of('antigravity', antigravity), ...answer('not_ready', 'unknown') },
      'Antigravity 3 of 4 routable · unknown · 20 s ago',
    ],
    [
      'plans that were never read',
      { ...of('claude', unread), ...answer('not_ready', 'unknown') },
      'Claude 2 of 3 routable · unknown · 20 s ago',
    ],
    [
      'plans that were read in part',
      of('claude', { ...claude, windows: [aWindow('week', 2.2, 6, bound)] }),
      'Claude week ≥2.2 of 6 Pro · ok · 20 s ago',
    ],
    [
      'plans that were read in part, of which nothing is usable',
      of('claude', { ...claude, windows: [aWindow('week', 0, 6, bound)] }),
      'Claude week unknown of 6 Pro · ok · 20 s ago',
    ],
    ['Codex among others', of('codex', codex, claude), 'Codex 5h 19.2 of 41 Plus · ok · 20 s ago'],
    [
      'every provider',
      { ...of('all', codex, claude, antigravity), capacity: undefined },
      'Codex week 2.0 of 41 Plus · Claude week 2.2 of 6 Pro · Antigravity 3 of 4 routable · ok · 20 s ago',
    ],
    [
      'two providers, of one of which no account may be used',
      { ...of('claude,kimi', { ...claude, routable: 0 }, kimi), capacity: undefined },
      'Claude 0 of 3 routable · Kimi month 1.6 of 4 accounts stale · ok · 20 s ago',
    ],
    [
      'a return of another window than the one that limits',
      {
        ...of('kimi', kimi),
        ...answer('ready', 'good', {
          window: 'fiveHour',
          nextReturn: { at: inHours(1), units: 0.1 },
        }),
      },
      'Kimi month 1.6 of 4 accounts stale · 5h +0.1 13:00 · ok · 20 s ago',
    ],
    [
      'windows that are one quantity, once',
      of('all', oneQuantity(['day', 'month']), {
        ...oneQuantity(['week', 'month'], aWindow('5h', 3, 3)),
        window: 'week',
      }),
      'xAI 1.5 of 3 accounts · xAI week/month 1.5 of 3 accounts · ok · 20 s ago',
    ],
    [
      'a provider without an account',
      { ...of('xai', codex), ...answer('wait', 'bad') },
      'no account routable · no return known · bad · 20 s ago',
    ],
  ])('says in the units of the pool: %s', async (_what, changes, expected) => {
    expect(await shown(changes)).toEqual({ code: 0, stdout: `${expected}\n`, stderr: '' })
  })

  it('lists each window of a provider, and each of several providers', async () => {
    const tooltipOf = async (changes: object) => {
      const { stdout } = await shown(changes, { format: 'waybar' })
      const { tooltip, percentage } = JSON.parse(stdout)
      return { lines: String(tooltip).split('\n').slice(0, 2), percentage }
    }

    expect(await tooltipOf(of('kimi', kimi))).toEqual({
      lines: ['5h unknown of 4 accounts', 'month 1.6 of 4 accounts stale'],
      percentage: 40,
    })
    const used = { ...claude, routable: 0, windows: [aWindow('week', 0, 6, bound)] }
    expect((await tooltipOf(of('all', used, antigravity))).lines[0]).toBe(
      'Claude 0 of 3 routable: week 0.0 of 6 Pro',
    )
    expect(await tooltipOf(of('all', claude, antigravity))).toEqual({
      lines: [
        'Claude 2 of 3 routable: 5h ≥4.0 of 6 Pro, week 2.2 of 6 Pro',
        'Antigravity 3 of 4 routable',
      ],
      percentage: undefined,
    })
  })

  it.each(formats)('golden: what %s shows while no service answers', async (format) => {
    const { code, stdout, stderr } = await shown(
      {},
      { format, fetch: () => Promise.reject(new TypeError('refused')) },
    )

    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: 'svc-quota-monitor: nothing answers at http://127.0.0.1:4516\n',
    })
    await expect(stdout).toMatchFileSnapshot(`../golden/line-${format}-unreachable.txt`)
  })

  it('is not silent either where something else answers, or the service refuses', async () => {
    const by = (text: string, status: number) =>
      shown({}, { fetch: () => Promise.resolve(new Response(text, { status })) })

    expect(await by('<html>', 200)).toMatchObject({
      code: 4,
      stdout: 'monitor not reachable · bad\n',
    })
    expect(await by('{"error":"host not allowed"}', 403)).toMatchObject({
      code: 2,
      stdout: 'monitor refuses · bad\n',
    })
  })

  it('writes what a format would take for its own signs as text', async () => {
    const empty = {
      ...answer('wait', 'bad', { nextReturn: { at: inHours(1), units: 0.04 } }),
      ...capacity({ usableUnits: 0 }),
      recommendations: { routableCount: 0, blockedCount: 24 },
    }

    const { stdout } = await shown(empty, { format: 'waybar' })
    expect(JSON.parse(stdout)).toEqual({
      text: 'no account routable · +&lt;0.1 13:00 · bad · 20 s ago',
      alt: 'wait',
      tooltip:
        '5h 0.0 of 41 Plus\nweek 15.7 of 41 Plus\nnext +&lt;0.1 13:00\n0 routable · 24 blocked\n6 actions\nread 20 s ago',
      class: 'bad',
      percentage: 0,
    })
  })

  it.each(['xbar', 'tmux', 'claude'])('has no colour for %s with NO_COLOR', async (format) => {
    const { stdout } = await shown({}, { format, env: { NO_COLOR: '1' } })

    expect(stdout.split('\n')[0]?.replace(/^quota /, '')).toBe(
      '5h 19.2 of 41 Plus · +0.2 12:40 · ok · 20 s ago',
    )
  })
})
