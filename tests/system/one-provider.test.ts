import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@svc/core/service'
import { aFakeAccount, fakeWindows } from '@svc/fake-proxy'
import type { Health, Recommendations, StatusSnapshot } from '@svc/views'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { program, runProgram, startInstantFlags } from '../../tooling/service/built-program.ts'
import { runNode } from '../../tooling/service/node-process.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, longDeadline, paceOfBusyMachine } from '../../tooling/test-instant.ts'
import { contractErrors, jsonPaths } from '../contract.ts'

const POOLS = {
  claude: { label: 'Claude', unit: 'pro', units: 'Pro', spent: { '5h': 100, week: 47 } },
  kimi: { label: 'Kimi', unit: 'accounts', units: 'accounts', spent: { '5h': 0, week: 100 } },
} as const

/** Words that are true of Codex alone. */
const OF_CODEX = /\b(?:Plus|Codex|ChatGPT)\b/i

const folder = mkdtempSync(join(tmpdir(), 'svc-one-provider-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(Object.entries(POOLS))('a pool of %s alone', (provider, pool) => {
  const received: string[] = []
  const receiver = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    received.push(body)
    response.end()
  })
  const accounts = [
    aFakeAccount({ name: 'ann', provider }),
    aFakeAccount({ name: 'ben', provider }),
    aFakeAccount({ name: 'spent', provider, windows: fakeWindows(pool.spent) }),
  ]
  let clock: Clock
  let live: ProxiedService

  beforeAll(async () => {
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    const file = join(folder, `address-${provider}`)
    const { port } = receiver.address() as AddressInfo
    writeFileSync(file, `http://127.0.0.1:${port}/hook\n`, { mode: 0o600 })
    clock = acceleratedClock({ factor: paceOfBusyMachine(60) })
    live = await startService({
      where: 'here',
      time: clock,
      accounts,
      flags: longDeadline,
      configText: `[[notify]]\nname = "phone"\nkind = "webhook"\nurl_file = "${file}"\non = ["action"]\n`,
    })
    await eventually('every account was asked about', async () => {
      const { items } = await live.json<Recommendations>('/api/v1/recommendations')
      return (
        items.length === accounts.length && items.every(({ planKind }) => planKind !== 'unknown')
      )
    })
  })
  afterAll(async () => {
    await live.stop()
    receiver.close()
  })

  const asked = (...argv: readonly string[]) =>
    runNode(
      [
        program,
        ...argv,
        ...['--url', live.url, '--timeout', '60s'],
        ...startInstantFlags({ startsAt: clock.now() }),
      ],
      { env: { XDG_STATE_HOME: folder } },
    )

  it('answers whole, in its own words', async () => {
    for (const path of jsonPaths) {
      const answer = await live.json(path)
      expect(contractErrors(path, answer), path).toEqual([])
      expect(JSON.stringify(answer), path).not.toMatch(OF_CODEX)
    }
    const ranking = await live.json<Recommendations>('/api/v1/recommendations')
    expect(ranking).toMatchObject({
      provider,
      routableCount: 2,
      blockedCount: 1,
      source: { text: expect.stringContaining(`3 ${pool.label} accounts`) },
      routingPolicy: { capacityWeightUnit: pool.unit },
      pools: [
        { provider, label: pool.label, unit: pool.unit, accounts: 3, routable: 2, blocked: 1 },
      ],
    })
    expect(ranking.capacity?.week.usableUnits).toBeGreaterThan(0)
    const health = await live.json<Health>('/api/v1/health')
    expect(health).toMatchObject({ provider, pools: ranking.pools, capacity: ranking.capacity })
    const status = await live.json<StatusSnapshot>('/api/v1/status')
    expect(status).toMatchObject({ available: true, recommendations: { provider } })
  })

  it('has metrics of its own, and none that are those of Codex', async () => {
    const metric = (name: string, labels: string) =>
      live.metric(`svc_quota_monitor_${name}{${labels}}`)
    const own = `provider="${provider}"`
    expect(await metric('provider_accounts', own)).toBe(3)
    expect(await metric('provider_routable_accounts', own)).toBe(2)
    expect(await metric('provider_capacity_known_units', `${own},window="week"`)).toBeGreaterThan(0)
    expect(await metric('capacity_known_plus_units', 'window="week"')).toBeOneOf([0, null])
  })

  it('is what commands tell of', async () => {
    const ends = [
      { argv: ['line'], code: 0 },
      { argv: ['line', '--format', 'waybar'], code: 0 },
      { argv: ['pick'], code: 0 },
      { argv: ['pick', '--json'], code: 0 },
      { argv: ['guard', '--min-units', '0.1'], code: 0 },
      { argv: ['guard', '--min-units', '1000'], code: 1 },
      { argv: ['accounts'], code: 0 },
      { argv: ['plan'], code: 1 },
    ]
    for (const { argv, code } of ends) {
      const told = await asked(...argv)
      expect({ argv, ...told }).toMatchObject({ code, stderr: '' })
      expect(told.stdout, argv.join(' ')).not.toMatch(OF_CODEX)
    }
    expect((await asked('pick')).stdout).toMatch(new RegExp(`^${provider}-\\S+\\.json\n$`))
    expect((await asked('guard')).stdout).toContain(`${pool.units} usable in the week window`)
  })

  it('is what messages tell of', async () => {
    for (const account of accounts) live.fake.disable(account)
    await eventually('it is told', () => received.some((body) => body.includes('firing')))

    for (const body of received) {
      expect(body).not.toMatch(OF_CODEX)
      expect(body).toContain(pool.label)
    }
  })
})

it('the files that init writes watch every provider', async () => {
  const { code } = await runProgram(['init', '--config', 'off', '--write', folder])
  const text = (name: string) => readFileSync(join(folder, name), 'utf8')

  expect(code).toBe(0)
  for (const family of ['provider_routable_accounts', 'provider_capacity_known_units'])
    expect(text('quota-rules.yml')).toContain(`svc_quota_monitor_${family}`)
  for (const name of ['quota-rules.yml', 'widgets.md', 'alertmanager.yml'])
    expect(text(name), name).not.toMatch(/\bPlus\b/)
})
