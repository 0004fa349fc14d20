import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fixedClock, NOW } from '@svc/core/testing'
import { samplePool } from '@svc/fake-proxy'
import type { Recommendations } from '@svc/views'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { program, runProgram, startInstantFlags } from '../../tooling/service/built-program.ts'
import { runNode, spawnNode } from '../../tooling/service/node-process.ts'
import {
  type LocalService,
  MANAGEMENT_KEY,
  startService,
} from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine, testInstant } from '../../tooling/test-instant.ts'

const goldenFile = (name: string) => join(import.meta.dirname, 'golden', name)

const VERBS = [['pick'], ['pick', '--as', 'ci'], ['guard'], ['accounts'], ['events']]

let demo: LocalService

beforeAll(async () => {
  demo = await startService({
    where: 'here',
    time: fixedClock(),
    demo: true,
  })
})
afterAll(() => demo.stop())

/** Runs a command as a user does, against this service, which may be slow on a busy machine. */
const asked = (argv: readonly string[], env = {}, url = demo.url) => {
  const patient = argv.includes('--timeout') ? [] : ['--timeout', '60s']
  const flags = ['--url', url, ...patient, ...startInstantFlags({ startsAt: NOW })]
  return runNode([program, ...argv, ...flags], { env })
}

describe('commands that ask the demo', () => {
  it.each([80, 120])('golden: the table of accounts in %d columns', async (columns) => {
    const { code, stdout, stderr } = await asked(['accounts'], { COLUMNS: String(columns) })

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await expect(stdout).toMatchFileSnapshot(goldenFile(`accounts-${columns}.txt`))
  })

  it('pick prints the best account, and with a name another one for the next caller', async () => {
    const { items } = await demo.json<Recommendations>('/api/v1/recommendations')
    const best = items[0]?.selector.authName
    const one = await asked(['pick', '--as', 'one'])
    const two = await asked(['pick', '--as', 'two', '--json'])

    expect(await asked(['pick'])).toEqual({ code: 0, stdout: `${best}\n`, stderr: '' })
    expect(one).toEqual({ code: 0, stdout: `${best}\n`, stderr: '' })
    expect(await asked(['pick', '--as', 'one'])).toEqual(one)
    expect(JSON.parse(two.stdout)).toMatchObject({ reason: expect.any(String) })
    expect(await asked(['pick', '--format', '{provider} {plan} {title}'])).toMatchObject({
      stdout: `codex ${items[0]?.planKind} ${items[0]?.title}\n`,
    })
  })

  it('events go on until Ctrl-C, which ends them with 0', async () => {
    const child = spawnNode([program, 'events', '--url', demo.url], {}, {})
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
    await eventually('the pool is told', () => printed.endsWith('\n'))
    child.kill('SIGINT')
    const [code] = await once(child, 'close')

    expect(code).toBe(0)
    expect(printed).toMatch(/^2026-\S+Z {2}\w+ +\d+ routable, \d+ blocked, top score \d+\n/)
  })
})

describe('commands that get no answer', () => {
  it('end with 4 where the service hangs, after the time given', async () => {
    const hung = createServer().listen(0, '127.0.0.1')
    await once(hung, 'listening')
    const url = `http://127.0.0.1:${(hung.address() as AddressInfo).port}`
    const outcomes = VERBS.map((argv) => asked([...argv, '--timeout', '300ms'], {}, url))

    for (const outcome of await Promise.all(outcomes))
      expect(outcome).toEqual({
        code: 4,
        stdout: '',
        stderr: `svc-quota-monitor: ${url} did not answer in time\n`,
      })
    hung.close()
  })

  it('end with 2 where the configuration is wrong, and take the address from it otherwise', async () => {
    const env = { SVC_QUOTA_MONITOR_PORT: new URL(demo.url).port }

    expect(await runProgram(['guard'], { env })).toMatchObject({ code: 0 })
    expect(await runProgram(['guard'], { env: { SVC_QUOTA_MONITOR_PORT: 'x' } })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^svc-quota-monitor: port from [^\n]+\n$/),
    })
  })
})

describe('commands that ask a live pool', () => {
  it('print what the service knows, and wait for an account that returns', async () => {
    const pool = samplePool(testInstant).filter(({ provider }) => provider === 'codex')
    const live = await startService({
      where: 'here',
      time: acceleratedClock({ factor: paceOfBusyMachine(10) }),
      accounts: pool,
    })
    const ranking = () => live.json<Recommendations>('/api/v1/recommendations')
    const routable = async () =>
      (await ranking()).items.flatMap((item) =>
        item.routingEligible ? [item.selector.authName] : [],
      )
    try {
      await eventually('every account was read', async () => (await routable()).length === 4)
      const listed = await asked(['accounts', '--json'], {}, live.url)
      const names: readonly string[] = JSON.parse(listed.stdout).items.map(
        (item: Recommendations['items'][number]) => item.selector.authName,
      )

      expect(names).toContain((await asked(['pick'], {}, live.url)).stdout.trim())
      expect([...names].sort()).toEqual(pool.map(({ fileName }) => fileName).sort())
      expect(listed.stdout).not.toContain(MANAGEMENT_KEY)

      for (const account of pool) live.fake.disable(account)
      await eventually('no account may be used', async () => (await routable()).length === 0)
      expect(await asked(['pick'], {}, live.url)).toMatchObject({ code: 1, stdout: '' })
      const waiting = asked(['pick', '--wait', '1h'], {}, live.url)
      await eventually(
        'it follows the events',
        async () => (await live.metric('svc_quota_monitor_event_clients')) === 1,
      )
      for (const account of pool) live.fake.enable(account)

      expect(await waiting).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^codex-\S+\.json\n$/),
        stderr: '',
      })
    } finally {
      await live.stop()
    }
  })
})
