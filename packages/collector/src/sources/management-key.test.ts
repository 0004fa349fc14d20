import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { plusMs } from '@svc/core'
import { Redacted } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { livePool } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import {
  aSecretFile,
  aWorld,
  endWorlds,
  HOUR,
  KEY,
  MINUTE,
  managementRequests,
} from '../testing/live-world.ts'

afterEach(endWorlds)

describe('the management key', () => {
  it('refused once is not tried again for two hours, and twice in four', async () => {
    const world = aWorld({ options: { upstream: { managementKey: new Redacted('wrong') } } })
    await world.clock.advance(2 * HOUR)

    expect(world.fake.stats).toMatchObject({
      refusedRequests: 1,
      bannedRequests: 0,
      authenticatedRequests: 0,
      failedAttempts: 1,
    })
    expect(managementRequests(world)).toBe(1)
    expect(world.latest()).toMatchObject({
      management: {
        kind: 'refused',
        failure: 'unauthorized',
        at: NOW,
        nextAttemptAt: plusMs(NOW, 150 * MINUTE),
      },
      sources: {
        accounts: { outcome: { kind: 'failed', code: 'unauthorized' }, failuresInARow: 1 },
        gateway: { outcome: { kind: 'ok' } },
      },
    })
    await world.clock.advance(2 * HOUR)
    expect(managementRequests(world)).toBe(2)
    expect(world.fake.stats.failedAttempts).toBeLessThanOrEqual(1)
  })

  it('refused as a whole (403, no ban) is not tried again either', async () => {
    const world = aWorld()
    world.fake.settings.management = 'remote_refused'
    await world.clock.advance(2 * HOUR)

    expect(managementRequests(world)).toBe(1)
    expect(world.latest().management).toMatchObject({ kind: 'refused', failure: 'forbidden' })
  })

  it('is tried at once when its file changes', async () => {
    const path = aSecretFile('wrong\n')
    const world = aWorld({
      options: { upstream: { managementKey: null, managementKeyFile: path } },
    })
    await world.clock.advance(0)
    expect(world.fake.stats.refusedRequests).toBe(1)
    await world.clock.advance(5 * MINUTE)
    expect(world.fake.stats.refusedRequests).toBe(1)

    writeFileSync(path, `${KEY}\n`)
    await world.clock.advance(15_000)

    expect(world.fake.stats.refusedRequests).toBe(1)
    expect(world.latest()).toMatchObject({
      management: { kind: 'accepted' },
      sources: { accounts: { outcome: { kind: 'ok' } } },
    })
  })

  it('and every other secret in a file that others can read is reported', async () => {
    const path = aSecretFile(KEY)
    const authDir = dirname(path)
    const clientLabelsFile = join(authDir, 'labels.txt')
    for (const file of [clientLabelsFile, join(authDir, 'a.json')]) writeFileSync(file, '{}')
    for (const file of [path, clientLabelsFile, join(authDir, 'a.json')]) chmodSync(file, 0o644)
    chmodSync(authDir, 0o755)
    const options = {
      upstream: { managementKey: null, managementKeyFile: path },
      usage: { clientLabelsFile },
      quota: { authDir },
    }

    const world = aWorld({ options })
    await world.clock.advance(60_000)
    expect(world.latest().openSecretFiles).toEqual(['management_key', 'client_labels'])

    const reading = aWorld({
      accounts: [],
      options: { ...options, quota: { authDir, quotaTransport: 'auth-files' } },
    })
    await reading.clock.advance(60_000)
    expect(reading.latest().openSecretFiles).toEqual([
      'management_key',
      'client_labels',
      'auth_files',
    ])
  })

  it('in a file that goes away is missed, and what was read stays', async () => {
    const path = aSecretFile(KEY)
    const world = aWorld({
      options: { upstream: { managementKey: null, managementKeyFile: path } },
    })
    await world.clock.advance(0)
    rmSync(path)
    await world.clock.advance(15_000)

    expect(world.latest()).toMatchObject({
      management: { kind: 'unreadable_key', reason: 'missing' },
      sources: {
        accounts: {
          outcome: { kind: 'failed', code: 'no_key' },
          lastGood: { value: { accounts: [{ title: 'alice@example.com' }] } },
        },
      },
    })
    const requests = managementRequests(world)
    await world.clock.advance(HOUR)
    expect(managementRequests(world)).toBe(requests)
    expect(world.lines.filter((line) => line.level === 'warn')).toHaveLength(1)
  })

  it('is tried again when told to reload', async () => {
    const world = aWorld({ options: { upstream: { managementKey: new Redacted('wrong') } } })
    await world.clock.advance(10 * MINUTE)
    world.fake.settings.managementKey = 'wrong'

    world.source.reload()
    await world.clock.advance(1000)

    expect(world.latest().management).toEqual({ kind: 'accepted' })
  })

  it('not set: only the gateway is asked', async () => {
    const world = aWorld({
      options: { upstream: { managementKey: null }, quota: { quotaTransport: 'off' } },
    })
    await world.clock.advance(HOUR)

    expect(managementRequests(world)).toBe(0)
    expect(world.fake.stats.requestsByRoute.healthz).toBeGreaterThan(200)
    expect(world.latest()).toMatchObject({
      management: { kind: 'no_key' },
      sources: { accounts: { outcome: { kind: 'failed', code: 'no_key' } } },
    })
  })

  it('banned is waited out in silence, then everything recovers alone', async () => {
    const world = aWorld()
    await world.clock.advance(1000)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await world.fake.app.request('/v0/management/auth-files', {
        headers: { authorization: 'Bearer wrong' },
      })
    }
    await world.clock.advance(29 * MINUTE)

    expect(world.fake.stats.bannedRequests).toBe(1)
    expect(world.latest().management).toEqual({
      kind: 'banned',
      until: plusMs(NOW, 30 * MINUTE + 1000),
    })
    expect(world.latest().sources.accounts.outcome).toMatchObject({
      kind: 'failed',
      code: 'banned',
    })
    await world.clock.advance(2 * MINUTE)
    expect(world.fake.stats.bannedRequests).toBe(1)
    expect(world.latest()).toMatchObject({
      management: { kind: 'accepted' },
      sources: { accounts: { outcome: { kind: 'ok' } } },
    })
  })

  it('proves itself with one call, then carries at most three at a time', async () => {
    const world = aWorld({ accounts: livePool(50, NOW) })
    for (const account of world.fake.accounts)
      world.fake.setVendor(account, { kind: 'slow', delayMs: 7000 })
    world.fake.setFault('auth-files', { kind: 'delay', delayMs: 3000 })
    world.fake.setFault('usage-statistics-enabled', { kind: 'delay', delayMs: 3000 })
    await world.clock.advance(2900)

    expect(world.fake.stats.managementInFlightMax).toBe(1)
    await world.clock.advance(30 * MINUTE)
    expect(world.fake.stats.managementInFlightMax).toBe(3)
  })
})
