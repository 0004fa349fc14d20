import { instantToIso } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { answering } from '../testing/answering.ts'
import { cli } from '../testing/run-for-test.ts'

const week = { trackedUnits: 41, usableUnits: 15.73, unknownUnits: 1, staleUnits: 0.95 }
const down = 'The proxy does not answer'
const text = `${down}; last readings are from 10:35, with 53.6 Plus usable.`
const answer = { code: 'proxy_down', tone: 'bad', text, at: null }
const pool = (source: string, ageSeconds: number, unit = 'plus', more: object = {}) =>
  answering({
    '/api/v1/health': { answer },
    '/api/v1/recommendations': () =>
      Response.json(
        {
          sampledAt: instantToIso(NOW),
          source: { kind: source },
          routableCount: 14,
          routingPolicy: { capacityWeightUnit: unit },
          capacity: { week, fiveHour: { ...week, usableUnits: 1 } },
          ...more,
        },
        { headers: { Date: new Date(NOW + ageSeconds * 1000).toUTCString() } },
      ),
  })

const guard = (argv: readonly string[], fetch = pool('live', 60)) =>
  cli(['guard', '--url', 'http://127.0.0.1:4515', ...argv], { fetch })

it.each([
  [
    [],
    0,
    'enough: 15.7 Plus usable in the week window (2 needed), 0.9 of them stale, 1.0 never read, 14 routable accounts (1 needed), read 1min ago',
  ],
  [['--min-units', '14.78'], 0, 'enough: '],
  [['--min-units', '20'], 1, 'not enough quota: '],
  [['--min-units', '15'], 3, 'unknown, readings are too old (the proxy does not answer): '],
  [
    ['--min-units', '15', '--stale-ok'],
    0,
    'enough: 15.7 Plus usable in the week window (15 needed), 1.0 never read, 14',
  ],
  [['--min-units=16'], 3, 'unknown, some quota was never read (the proxy does not answer): 15.7'],
  [['--min-accounts', '15'], 1, 'not enough accounts: '],
  [
    ['--window', '5h'],
    3,
    'unknown, some quota was never read (the proxy does not answer): 1.0 Plus usable in the 5h window',
  ],
  [['--max-age', '59s'], 3, 'unknown, the account list is too old (the proxy does not answer): '],
] as const)('$0 ends with $1: $2', async (argv, code, said) => {
  const { stdout, ...rest } = await guard(argv)

  expect(rest).toEqual({ code, stderr: '' })
  expect(stdout.startsWith(said)).toBe(true)
  expect(stdout.trim().split('\n')).toHaveLength(1)
})

it('fails closed on a pool that nobody has read, and on stale readings', async () => {
  expect(await guard([], pool('unavailable', 0))).toEqual({
    code: 3,
    stdout: 'unknown, no account list was read (the proxy does not answer)\n',
    stderr: `svc-quota-monitor: ${text}\n`,
  })
  expect(await guard([], pool('stale', 60))).toMatchObject({ code: 3 })
  expect(await guard(['--stale-ok'], pool('stale', 86_400))).toMatchObject({ code: 0 })
})

it('--json prints the verdict with its numbers', async () => {
  const { code, stdout } = await guard(['--json', '--min-accounts', '3'])

  expect({ code, verdict: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    verdict: { verdict: 'enough', reason: 'enough', units: 14.78, minAccounts: 3, ageSeconds: 60 },
  })
})

it('says, as the page does, that so much was not read that there is at least this', async () => {
  const capacity = { week: { ...week, unknownUnits: 20, atLeast: true } }
  const { stdout } = await guard([], pool('live', 60, 'plus', { capacity }))

  expect(stdout).toMatch(/^enough: at least 15\.7 Plus usable in the week window/)
})

it('a number just below the need is not rounded up to it', async () => {
  const capacity = { week: { ...week, usableUnits: 1.96, unknownUnits: 0, staleUnits: 0 } }
  const { code, stdout } = await guard([], pool('live', 60, 'plus', { capacity }))

  expect(code).toBe(1)
  expect(stdout).toMatch(/^not enough quota: 1\.96 Plus usable in the week window \(2 needed\)/)
})

it('blames no answer that says nothing of the cause', async () => {
  const going = { ...answer, code: 'go', text: 'Yes.' }
  const asked: typeof fetch = async (input, init) =>
    String(input).includes('/health')
      ? Response.json({ answer: going })
      : pool('live', 60)(input, init)

  expect((await guard(['--min-units', '15'], asked)).stdout).toMatch(
    /^unknown, readings are too old: /,
  )
})

it.each([
  [['--window', '5h'], 2, '--window: xai has no 5h window; it has day, week'],
  [
    ['--window', '5h', '--min-accounts', '99'],
    2,
    '--window: xai has no 5h window; it has day, week',
  ],
  [['--window', '5h', '--min-units', '0'], 0, ''],
  [
    ['--provider', 'codex', '--window', 'day'],
    2,
    '--window: codex has no day window; it has 5h, week',
  ],
  [['--window', 'week'], 0, ''],
  [['--window', 'day', '--min-units', '2.05'], 0, ''],
  [['--window', 'day', '--min-units', '9'], 1, ''],
  [
    ['--provider', 'kiro'],
    2,
    '--window: no window of kiro is read; need accounts alone with --min-units 0',
  ],
])('a window that the provider does not have: %j ends with %i', async (argv, code, said) => {
  const provider = ['kiro', 'codex'].find((id) => argv.some((word) => word === id)) ?? 'xai'
  const pools = [
    { provider: 'kiro', accountsRead: 0, accountsToRead: 0, windows: [] },
    {
      provider: 'xai',
      accountsRead: 6,
      accountsToRead: 6,
      windows: [{ id: 'day', ...week, usableUnits: 3 }, { id: 'week' }],
    },
  ]
  const given = await guard(argv, pool('live', 60, 'accounts', { provider, pools }))

  expect({ code: given.code, stderr: given.stderr }).toEqual({
    code,
    stderr: said === '' ? '' : `svc-quota-monitor: ${said}\n`,
  })
})

it('needs no units of several providers, which never add up', async () => {
  const several = pool('live', 60, 'mixed')

  expect(await guard(['--provider', 'all'], several)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'svc-quota-monitor: --provider: units of several providers never add up; name one, or need accounts alone with --min-units 0\n',
  })
  expect(await guard(['--provider', 'all', '--min-units', '0'], several)).toMatchObject({
    code: 0,
  })
})

it.each([
  [['--window', 'year'], '--window: one of 5h, day, week, month is needed'],
  [['--min-units', 'two'], '--min-units: a number as 2 is needed, not "two"'],
  [['--min-units', '1e3'], '--min-units: a number as 2 is needed, not "1e3"'],
  [['--min-accounts', '1.5'], '--min-accounts: a number as 2 is needed, not "1.5"'],
  [['--max-age', 'old'], '--max-age: a duration as 500ms, 5s, 10m or 1h is needed'],
])('%j is a usage error', async (argv, said) => {
  expect(await guard(argv)).toEqual({ code: 2, stdout: '', stderr: `svc-quota-monitor: ${said}\n` })
})
