import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount, mixedPool } from '@svc/fake-proxy'
import type { Recommendations } from '@svc/views'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVENTS_PATH, routes } from '../../apps/server/src/http/app.ts'
import { eventually } from '../../tooling/eventually.ts'
import { program, startInstantFlags } from '../../tooling/service/built-program.ts'
import { runNode } from '../../tooling/service/node-process.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine, testInstant } from '../../tooling/test-instant.ts'

const ACCOUNTS_EACH = 6
const home = mkdtempSync(join(tmpdir(), 'svc-every-provider-'))
let live: ProxiedService

beforeAll(async () => {
  const kiro = aFakeAccount({ name: 'kay', provider: 'kiro' })
  live = await startService({
    where: 'here',
    time: acceleratedClock({ factor: paceOfBusyMachine(20) }),
    accounts: [...mixedPool(ACCOUNTS_EACH, testInstant), kiro],
  })
  await eventually('Codex and Claude were read', async () => {
    const { items } = await live.json<Recommendations>(
      '/api/v1/recommendations?provider=codex,claude',
    )
    const routable = items.filter(({ routingEligible }) => routingEligible)
    return (
      routable.length > 0 &&
      routable.every(({ quotaWindows }) => quotaWindows.some(({ state }) => state === 'known'))
    )
  })
})
afterAll(async () => {
  await live.stop()
  rmSync(home, { recursive: true, force: true })
})

const asked = (...argv: readonly string[]) =>
  runNode(
    [
      program,
      ...argv,
      '--url',
      live.url,
      '--timeout',
      '60s',
      ...startInstantFlags({ startsAt: testInstant }),
    ],
    {
      env: { XDG_STATE_HOME: home },
    },
  )

/** The metrics of a service once every route was asked. */
async function metricsOf({ url }: Pick<ProxiedService, 'url'>) {
  const others = routes.filter((route) => route !== EVENTS_PATH)
  await Promise.all(
    others.map(async (route) => (await fetch(url + route.replaceAll('*', 'none'))).text()),
  )
  const text = await (await fetch(`${url}/metrics`)).text()
  return { text, series: text.split('\n').filter((line) => /^[^#]/.test(line)) }
}

describe('the metrics of a pool of every provider', () => {
  it('have fewer than 700 series with every route asked, and no name of an account or vendor unheard of', async () => {
    const { text, series } = await metricsOf(live)

    expect(series.length).toBeLessThan(700)
    expect(text).not.toMatch(/@|kiro|\bNan\b/)
    for (const provider of ['codex', 'claude', 'xai', 'kimi', 'kimi-ai', 'antigravity'])
      expect(text).toContain(`provider_accounts{provider="${provider}"} ${ACCOUNTS_EACH}\n`)
    expect(text).toContain('provider_accounts{provider="other"} 1\n')
  })
})

describe('commands that ask a pool of every provider', () => {
  it('top, accounts and plan have the accounts of all with --provider all, and of Codex alone without', async () => {
    const count = async (...argv: readonly string[]) =>
      JSON.parse((await asked('accounts', '--json', ...argv)).stdout).items.length
    const top = (await asked('top', '--once', '--provider', 'all')).stdout

    expect(await count()).toBe(ACCOUNTS_EACH)
    expect(await count('--provider', 'all')).toBe(6 * ACCOUNTS_EACH + 1)
    expect(top).toMatch(/^ *# +name +provider +plan/m)
    for (const provider of ['codex', 'antigravity', 'kiro']) expect(top).toContain(` ${provider} `)
    expect((await asked('plan', '--provider', 'all', '--priorities')).stdout).toMatch(/claude-/)
    expect((await asked('plan', '--priorities')).stdout).not.toMatch(/claude-/)
  })
})
