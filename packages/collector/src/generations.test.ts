import { Redacted } from '@svc/core/service'
import type { FakeGeneration } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { createUpstreamClient } from './proxy/upstream-client.ts'
import { aWorld, endWorlds, HOUR, KEY, MINUTE, type World } from './testing/live-world.ts'
import { aServer, closeServers, failureOf, realClock } from './testing/own-servers.ts'
import { anIngestedUsage, aRecordingSink } from './testing/usage-equipment.ts'

afterEach(endWorlds)
afterEach(closeServers)

const POLL = 16_000
const pathsOf = ({ fake }: World, from = 0) =>
  fake.requests.slice(from).flatMap(({ path, route }) => (route === 'healthz' ? [] : [path]))
const under = (root: string, paths: readonly string[]) =>
  paths.filter((path) => path.startsWith(root))
/** A world before its first call, of this generation. */
function aWorldOf(generation: FakeGeneration, key = KEY) {
  const world = aWorld({
    options: { upstream: { managementKey: new Redacted(key) } },
    sink: aRecordingSink({
      ingest: () =>
        anIngestedUsage({ elementCount: 0, totals: { success: 0, failed: 0, tokens: 0 } }),
    }),
  })
  world.fake.become(generation)
  return world
}
const outcomes = (world: World) =>
  Object.fromEntries(
    Object.entries(world.latest().sources).map(([id, { outcome }]) => [
      id,
      outcome.kind === 'failed' ? outcome.code : outcome.kind,
    ]),
  )

describe('a wrong key', () => {
  it.each(['v6', 'v7', 'v8', 'v8-only', 'home'] as const)(
    'is refused by %s once, and then not sent again',
    async (generation) => {
      const world = aWorldOf(generation, 'wrong')
      await world.clock.advance(2 * HOUR)

      expect(world.fake.stats).toMatchObject({ refusedRequests: 1, bannedRequests: 0 })
      expect(world.fake.gate.failuresOpen()).toBe(1)
    },
  )
})

describe('a proxy', () => {
  it.each(['v6', 'v7', 'v8', 'v8-only'] as const)('of %s is read whole', async (generation) => {
    const world = aWorldOf(generation)
    await world.clock.advance(11 * MINUTE)

    expect(outcomes(world)).toMatchObject({
      accounts: 'ok',
      usage: 'ok',
      usage_statistics: 'ok',
      direct_quota: 'ok',
    })
    const isV8 = generation.startsWith('v8')
    expect(world.latest().sources.accounts.generation).toBe(isV8 ? 'v8' : 'v0')
    expect(world.latest().sources.usage.lastGood?.value.kind).toBe(
      generation === 'v6' ? 'legacy' : 'queue',
    )
    expect(under(isV8 ? '/v0/' : '/v8/', pathsOf(world))).toEqual(
      isV8 ? [] : ['/v8/management/credentials'],
    )
  })

  it('of v7 is asked under v8 once in a quarter of an hour, and at once when its version changes', async () => {
    const world = aWorldOf('v7')
    await world.clock.advance(HOUR - MINUTE)
    expect(under('/v8/', pathsOf(world))).toHaveLength(4)
    const from = world.fake.requests.length
    world.fake.settings.version = 'v7.2.141'
    await world.clock.advance(2 * POLL)

    expect(under('/v8/', pathsOf(world, from))).toHaveLength(1)
  })

  it.each([
    ['v7', 'v8'],
    ['v8', 'v7'],
    ['v7', 'v8-only'],
    ['v8-only', 'v7'],
    ['v6', 'v8'],
    ['v8', 'v6'],
  ] as const)('replaced in place, %s by %s, is read as before', async (before, after) => {
    const world = aWorldOf(before)
    await world.clock.advance(POLL)
    world.fake.become(after)
    await world.clock.advance(MINUTE)
    const from = world.fake.requests.length
    await world.clock.advance(11 * MINUTE)

    expect(outcomes(world)).toMatchObject({ accounts: 'ok', usage: 'ok', usage_statistics: 'ok' })
    const other = after.startsWith('v8') ? '/v0/' : '/v8/'
    expect(under(other, pathsOf(world, from))).toEqual([])
    expect(world.fake.gate.failuresOpen()).toBe(0)
  })

  it('that cannot be reached is taken for neither', async () => {
    const world = aWorldOf('v8-only')
    world.fake.setFault('auth-files', { kind: 'status', status: 503 })
    await world.clock.advance(MINUTE)
    expect(world.latest().sources.accounts.generation).toBeUndefined()
    world.fake.setFault('auth-files', null)
    await world.clock.advance(MINUTE)

    expect(outcomes(world)).toMatchObject({ accounts: 'ok', usage_statistics: 'ok' })
    expect(under('/v0/', pathsOf(world))).toEqual([])
  })
})

describe('the usage section of a v8 configuration', () => {
  const ON = 'usage-statistics-enabled'
  const KEPT = 'redis-usage-queue-retention-seconds'
  it.each<[Readonly<Record<string, unknown>> | null, boolean, number]>([
    [null, false, 60],
    [{ [ON]: true }, true, 60],
    [{ [KEPT]: 600 }, false, 600],
    [{ [ON]: true, [KEPT]: 0 }, true, 60],
  ])('%j: kept %j, for %d s', async (section, enabled, seconds) => {
    const world = aWorldOf('v8-only')
    world.fake.settings.usageSection = section
    await world.clock.advance(POLL)

    const { usage, usage_statistics } = world.latest().sources
    expect(usage_statistics.lastGood?.value.enabled).toBe(enabled)
    expect(usage.lastGood?.value.retentionSeconds).toBe(seconds)
  })
})

describe('a Home', () => {
  it('is named, and nothing else is read from it', async () => {
    const world = aWorldOf('home')
    world.fake.settings.usageStatisticsEnabled = false
    await world.clock.advance(11 * MINUTE)

    expect(outcomes(world)).toMatchObject({ accounts: 'home', usage_statistics: 'home' })
    expect(world.latest().sources.usage_statistics.lastGood).toBeNull()
    expect(world.fake.usage.answerCount()).toBe(0)
    expect(world.fake.vendorCalls).toEqual([])
  })

  it.each(['v7', 'v8'] as const)('has nodes (%s) without a management API', async (generation) => {
    const world = aWorldOf(generation)
    world.fake.settings.management = 'disabled'
    await world.clock.advance(POLL)

    expect(outcomes(world)).toMatchObject({ accounts: 'management_disabled' })
  })
})

describe('in front of a v7 proxy', () => {
  const call = (key = KEY) => ({
    key: new Redacted(key),
    seconds: 5,
    stop: new AbortController().signal,
    bytesMax: 100_000,
  })
  const JSON_TYPE = { 'content-type': 'application/json' }
  type Answer = readonly [number, Readonly<Record<string, string>>, string]
  /** Starts a gateway with this answer under v8, in front of a v7 proxy that has one list. */
  async function aGateway([status, headers, body]: Answer) {
    const { url, seen } = await aServer(({ url }, response) => {
      if (url?.startsWith('/v8/')) response.writeHead(status, headers).end(body)
      else
        response.writeHead(200, { ...JSON_TYPE, 'x-cpa-version': 'v7.2.140' }).end('{"files":[]}')
    })
    const client = createUpstreamClient(url, { clock: realClock, fetch })
    return { client, seen }
  }

  it.each<Answer>([
    [404, {}, ''],
    [404, JSON_TYPE, '{"error":"no such path"}'],
    [405, {}, ''],
    [501, {}, ''],
    [400, {}, ''],
    [401, { 'www-authenticate': 'Basic realm="x"' }, ''],
    [403, {}, 'no'],
    [302, { location: 'http://login.example/' }, ''],
    [200, { 'content-type': 'text/html' }, '<html>'],
    [200, JSON_TYPE, '{}'],
    [200, JSON_TYPE, '[]'],
    [200, JSON_TYPE, '{"files":{}}'],
    [200, JSON_TYPE, ''],
  ])('something that answers %d %j %s decides nothing about v0', async (...answer) => {
    const { client, seen } = await aGateway(answer)

    expect((await client.get('accounts', call())).body).toEqual({ files: [] })
    expect(client.facts().generation).toBe('v0')
    await client.get('accounts', call())
    expect(seen.map(({ url }) => url?.split('/')[1])).toEqual(['v8', 'v0', 'v0'])
  })

  it.each<Answer>([
    [401, { ...JSON_TYPE, 'x-cpa-version': 'v8.0.2' }, '{"error":"invalid management key"}'],
    [401, JSON_TYPE, '{"error":"invalid management key"}'],
    [403, { ...JSON_TYPE, 'x-cpa-version': 'v8.0.2' }, '{"error":"remote management disabled"}'],
    [403, JSON_TYPE, '{"error":"IP banned due to too many failed attempts. Try again in 1m"}'],
    [429, {}, ''],
    [500, {}, ''],
    [503, {}, ''],
  ])('%d %j %s is not asked around', async (...answer) => {
    const { client, seen } = await aGateway(answer)

    expect(await failureOf(client.get('accounts', call()))).toMatchObject({
      httpStatus: answer[0],
    })
    expect(seen).toHaveLength(1)
    expect(client.facts().generation).toBeNull()
  })
})
