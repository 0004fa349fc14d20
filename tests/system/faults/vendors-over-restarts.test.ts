import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount, createFakeUpstream, type FakeAccount } from '@svc/fake-proxy'
import { ownDatabases, whyNoPostgres } from '@svc/history/testing'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { eventually, pause } from '../../../tooling/eventually.ts'
import { serveFake } from '../../../tooling/serve-fake.ts'
import { freePort, ownConnection } from '../../../tooling/service/built-program.ts'
import { type ServiceProcess, startService } from '../../../tooling/service/start-service.ts'
import { acceleratedClock } from '../../../tooling/test-instant.ts'

const KEY = 'right-key-of-the-vendors-57'
/** Vendors whose queries have a budget of minutes. */
const BUDGETED = ['claude', 'xai', 'kimi'] as const
/** Long enough for a hurried start to ask again what it may not. */
const LOOKING_MS = 4_000

const databases = ownDatabases()
afterAll(() => databases.remove())
const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

/** The built program in front of a fake proxy, as often as it is started, on one store. */
async function aWorld(accounts: readonly FakeAccount[], stateDb: string) {
  const { now } = acceleratedClock()
  const fake = createFakeUpstream({ now, managementKey: KEY, accounts })
  const served = await serveFake(fake, 0)
  cleanUp.push(() => served.close())
  const callsOf = (file: FakeAccount, kind: 'quota' | 'plan' = 'quota') =>
    fake.vendorCalls.filter((call) => call.account === file && call.kind === kind)
  return {
    fake,
    callsOf,
    async start(): Promise<ServiceProcess> {
      const service = await startService({
        where: 'program',
        time: { startsAt: now() },
        key: KEY,
        flags: {
          config: 'off',
          'upstream-url': served.url,
          'state-db': stateDb,
          'refresh-seconds': '5',
          port: String(await freePort()),
        },
      })
      cleanUp.push(() => service.stop('SIGKILL'))
      return service
    },
    /** Until each account was asked about. */
    read: () =>
      eventually('every account was asked about', () =>
        accounts.every((file) => callsOf(file).length > 0),
      ),
  }
}

const poolOf = (perProvider: number, changes: Partial<FakeAccount> = {}) =>
  ['codex', ...BUDGETED].flatMap((provider) =>
    Array.from({ length: perProvider }, (_, index) =>
      aFakeAccount({ name: `${provider}${index}`, provider, ...changes }),
    ),
  )

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-vendors-'))
  cleanUp.unshift(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const engines = [
  { engine: 'SQLite', whyNot: () => null, place: async () => join(aFolder(), 'history.db') },
  {
    engine: 'PostgreSQL',
    whyNot: whyNoPostgres,
    async place() {
      const server = await databases.server()
      return server.address(await server.createDatabase())
    },
  },
]

describe.each(engines)('vendors, with a store in $engine', ({ engine, whyNot, place }) => {
  it('are asked within their budgets over four restarts, four kills and three take-overs', async (context) => {
    const why = whyNot()
    if (why !== null) context.skip(why)
    const accounts = poolOf(2)
    const world = await aWorld(accounts, await place())
    let service = await world.start()
    await world.read()
    // Each of these comes before the pool is stored for the first time.
    for (const signal of [...Array(4).fill('SIGTERM'), ...Array(4).fill('SIGKILL')]) {
      await service.stop(signal)
      service = await world.start()
      await pause(LOOKING_MS)
    }
    for (let round = 0; engine === 'PostgreSQL' && round < 3; round += 1) {
      const next = await world.start()
      await pause(LOOKING_MS)
      await service.stop('SIGKILL')
      service = next
      await pause(2 * LOOKING_MS)
    }

    for (const file of accounts.filter(({ provider }) => provider !== 'codex')) {
      expect(world.callsOf(file), file.email).toHaveLength(1)
      expect(world.callsOf(file, 'plan').length, file.email).toBeLessThanOrEqual(1)
    }
  })

  it('are left alone after a 429 by whoever comes after a kill', async (context) => {
    const why = whyNot()
    if (why !== null) context.skip(why)
    const throttled = { kind: 'throttled', retryAfter: null } as const
    const accounts = BUDGETED.map((provider) =>
      aFakeAccount({ name: provider, provider, vendor: throttled }),
    )
    const late = BUDGETED.map((provider) => aFakeAccount({ name: `late-${provider}`, provider }))
    const world = await aWorld(accounts, await place())
    let service = await world.start()
    await world.read()
    // The answer is stored after it has come.
    await pause(500)
    for (const file of late) world.fake.add(file)
    for (let round = 0; round < 3; round += 1) {
      await service.stop('SIGKILL')
      service = await world.start()
      await pause(LOOKING_MS)
    }

    expect(world.fake.vendorCalls).toHaveLength(accounts.length)
  })
})

it('a second monitor of a file stands by, and goes on where the first has ended', async () => {
  const accounts = poolOf(1)
  const world = await aWorld(accounts, join(aFolder(), 'history.db'))
  const first = await world.start()
  await world.read()
  // Plans follow.
  await pause(LOOKING_MS)
  const before = world.fake.vendorCalls.length
  const second = await world.start()
  const readyz = async () => {
    const answer = await fetch(`${second.url}/readyz`, ownConnection)
    return [answer.status, ((await answer.json()) as { status?: string }).status]
  }
  await eventually('the second stands by', async () => (await readyz())[1] === 'store_held')
  await pause(LOOKING_MS)
  expect(await readyz()).toEqual([503, 'store_held'])
  const standing = accounts.filter(({ provider }) => provider !== 'codex')
  const budgeted = () => standing.map((file) => world.callsOf(file).length)
  expect([budgeted(), world.fake.vendorCalls.length - before]).toEqual([[1, 1, 1], 0])

  await first.stop('SIGKILL')
  await eventually('the second acts', async () => (await readyz())[0] === 200)
  await pause(LOOKING_MS)
  expect(budgeted()).toEqual([1, 1, 1])
})
