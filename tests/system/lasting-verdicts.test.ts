import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plusMs } from '@svc/core'
import { aFakeAccount, aFakeQuota, type FakeAccount } from '@svc/fake-proxy'
import type { Health, Recommendations } from '@svc/views'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, testInstant } from '../../tooling/test-instant.ts'

let folder = ''
let live: ProxiedService | null = null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-verdicts-'))
})
afterEach(async () => {
  await live?.stop()
  live = null
  rmSync(folder, { recursive: true, force: true })
})

async function service(
  accounts: readonly FakeAccount[],
  startsAt = testInstant,
): Promise<ProxiedService> {
  live = await startService({
    where: 'here',
    time: acceleratedClock({ factor: 10, startsAt }),
    accounts,
    flags: {
      'state-db': join(folder, 'history.db'),
      'quota-transport': 'off',
      'history-write-seconds': '5',
    },
  })
  return live
}
const blockedIn = async (running: ProxiedService) => {
  const { items } = await running.json<Recommendations>('/api/v1/recommendations')
  return Object.fromEntries(items.map((item) => [item.title, item.routingBlockedReasons]))
}

it('a first failure that the proxy wipes at once is known by its record, and still after a restart', async () => {
  const dead = aFakeAccount({ name: 'dead', vendor: 'token_invalidated', hasDisabledKey: false })
  const used = aFakeAccount({ name: 'used', quota: aFakeQuota('exhausted_week') })
  const other = aFakeAccount({ name: 'other', provider: 'claude' })
  const first = await service([dead, used, other])
  await eventually('both are listed', async () => {
    return Object.keys(await blockedIn(first)).length === 2
  })
  expect(await blockedIn(first)).toEqual({ 'dead@example.com': [], 'used@example.com': [] })
  first.fake.traffic(dead, { failed: 1 })
  first.fake.traffic(used, { failed: 1 })
  first.fake.write(other)
  expect([dead.statusMessage, used.statusMessage]).toEqual(['', ''])

  const expected = {
    'dead@example.com': ['auth_invalid'],
    'used@example.com': ['upstream_retry_after'],
  }
  const isBlocked = (running: ProxiedService) => async () =>
    JSON.stringify(await blockedIn(running)) === JSON.stringify(expected)
  await eventually('their records are read', isBlocked(first))
  const knownAt = first.fake.now()
  await eventually('they are kept', async () => first.fake.now() > plusMs(knownAt, 30_000))
  const stoppedAt = first.fake.now()
  await first.stop()

  const second = await service([dead, used, other], plusMs(stoppedAt, 60_000))
  await eventually('what was stored is known', isBlocked(second))
  expect(second.fake.accounts.map(({ statusMessage }) => statusMessage)).toEqual(['', '', ''])
})

it('logins that are lost together are one action, and the same one hours and a restart later', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const accounts = names.map((name) => aFakeAccount({ name }))
  const wavesIn = async (running: ProxiedService) => {
    const { actions } = await running.json<Health>('/api/v1/health')
    return actions.filter(({ kind }) => kind === 'auth')
  }
  const refuse = (running: ProxiedService) => {
    for (const account of accounts) running.fake.traffic(account, { failed: 1 })
  }
  const first = await service(accounts)
  for (const account of accounts) first.fake.traffic(account, { success: 1 })
  await eventually('they work', async () => {
    return Object.keys(await blockedIn(first)).length === names.length
  })
  for (const account of accounts) account.vendor = 'token_invalidated'
  refuse(first)
  await eventually('all are lost', async () => {
    const [wave] = await wavesIn(first)
    return wave?.code === 'login_wave' && wave.accountKeys?.length === names.length
  })
  const [wave, ...others] = await wavesIn(first)
  expect(others).toEqual([])
  expect(wave?.summary).toMatch(/^6 accounts lost their login .*: 6 refused without a reason\.$/)
  const knownAt = first.fake.now()
  await eventually('they are kept', async () => first.fake.now() > plusMs(knownAt, 30_000))
  const stoppedAt = first.fake.now()
  await first.stop()

  const second = await service(accounts, plusMs(stoppedAt, 3 * 3_600_000))
  refuse(second)
  await eventually('they are the wave that they were', async () => {
    const [kept, ...more] = await wavesIn(second)
    return kept?.code === 'login_wave' && kept.since === wave?.since && more.length === 0
  })
})
