import { epochMs, plusMs } from '@svc/core'
import type { UsageBatch } from '@svc/core/usage'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'
import { createDictionaries } from './dictionary.ts'
import { createPartitions } from './partitions.ts'
import { createUsageRows, type UsageRows } from './usage-rows.ts'

const MINUTES = 'SELECT sum(requests)::int FROM svc_quota_monitor.rollup_60 WHERE grouping = 0'
const COUNT = 'SELECT count(*) FROM svc_quota_monitor.usage'
const NEVER = epochMs(0)

const schemas = freshSchemas()
let fresh: FreshSchema
let rows: UsageRows
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
  const { session } = fresh
  rows = createUsageRows(
    session,
    createDictionaries(session, 'instance'),
    createPartitions(session),
  )
})
afterAll(() => schemas.remove())

const add = async (batch: UsageBatch, cut = NEVER) =>
  rows.add(await rows.prepare(batch, { upstream: 'tokyo', cut }), cut)

describe('requests', () => {
  it('are stored with the numbers of their names', async () => {
    await add(aBatch([aDetail(1, { tokens: 7, failed: true })]))

    expect(
      await fresh.rows(
        `SELECT at_ms, a.key AS account, n.name AS api, m.name AS model, tokens, failed FROM svc_quota_monitor.usage
         JOIN svc_quota_monitor.accounts a ON a.id = account_id JOIN svc_quota_monitor.api_names n ON n.id = api_name_id
         JOIN svc_quota_monitor.models m ON m.id = model_id`,
      ),
    ).toEqual([[NOW - 1000, 'account-1', 'key-1', 'model', 7, true]])
  })

  it.each(['usage', 'rollup_60'])('that a trigger on %s drops are a failure', async (table) => {
    await add(aBatch([aDetail(1)]))
    await fresh.session.run(
      `CREATE FUNCTION svc_quota_monitor.thief() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
    )
    await fresh.session.run(
      `CREATE TRIGGER thief BEFORE INSERT ON svc_quota_monitor.${table} FOR EACH ROW EXECUTE FUNCTION svc_quota_monitor.thief()`,
    )

    await expect(add(aBatch([aDetail(2)]))).rejects.toMatchObject({
      code: 'not_permitted',
      engine: 'postgres',
    })
    expect((await add(aBatch([aDetail(1)]))).stored).toBe(0)
  })

  it('are stored with their proxy, their provider, the classes of their tokens and their times', async () => {
    const classes = { tokensIn: 1, tokensCached: 2, tokensWritten: 3, tokensOut: 4 }
    const times = { latencyMs: 90, firstTokenMs: 2 ** 40 }
    await add(aBatch([aDetail(1, { provider: 'claude', classes, ...times })]))

    expect(
      await fresh.rows(
        `SELECT s.name AS upstream, p.name AS provider, tokens_in, tokens_cached, tokens_written, tokens_out, latency_ms, first_token_ms
         FROM svc_quota_monitor.usage JOIN svc_quota_monitor.upstreams s ON s.id = upstream_id
         JOIN svc_quota_monitor.providers p ON p.id = provider_id`,
      ),
    ).toEqual([['tokyo', 'claude', 1, 2, 3, 4, 90, 2 ** 31 - 1]])
  })

  it('that do not say so are stored with unknowns, never with zeros', async () => {
    await add(aBatch([aDetail(1)]))

    expect(
      await fresh.rows(
        'SELECT provider_id, tokens_in, tokens_cached, tokens_written, tokens_out, latency_ms, first_token_ms FROM svc_quota_monitor.usage',
      ),
    ).toEqual([[null, null, null, null, null, null, null]])
  })

  it.each([
    { accountKey: 'account-1', provider: null, counted: 'codex' },
    { accountKey: 'other:gemini', provider: null, counted: 'gemini' },
    { accountKey: 'account-1', provider: 'claude', counted: 'claude' },
  ])('of $accountKey by $provider are counted for $counted', async ({ counted, ...detail }) => {
    await add(aBatch([aDetail(1, detail)]))

    expect(
      await fresh.rows(
        `SELECT p.name FROM svc_quota_monitor.rollup_60 JOIN svc_quota_monitor.providers p ON p.id = member_id WHERE grouping = 5`,
      ),
    ).toEqual([[counted]])
  })

  it('that are there already are neither stored nor summed again', async () => {
    await add(aBatch([aDetail(1), aDetail(2), aDetail(2)]))

    expect(await add(aBatch([aDetail(2), aDetail(3)]))).toEqual({ stored: 1, expired: 0 })
    expect(await fresh.rows(MINUTES)).toEqual([[3]])
  })

  it('keep the first of two with one key, in the sums as in the rows', async () => {
    const batch = aBatch([aDetail(1, { tokens: 5 }), aDetail(1, { tokens: 900 })])

    expect(await add(batch)).toEqual({ stored: 1, expired: 0 })
    expect(await fresh.rows('SELECT tokens FROM svc_quota_monitor.usage')).toEqual([[5]])
    expect(await fresh.rows('SELECT DISTINCT tokens FROM svc_quota_monitor.rollup_86400')).toEqual([
      [5],
    ])
  })

  it('of one instant are two where their keys differ, as far apart as 64 bits can be', async () => {
    const twins = [2n ** 63n - 1n, -(2n ** 63n), 0n].map((key) => aDetail(1, { key }))

    expect(await add(aBatch(twins))).toEqual({ stored: 3, expired: 0 })
    expect(await add(aBatch(twins))).toEqual({ stored: 0, expired: 0 })
    expect(await fresh.rows('SELECT key::text FROM svc_quota_monitor.usage ORDER BY key')).toEqual([
      ['-9223372036854775808'],
      ['0'],
      ['9223372036854775807'],
    ])
  })

  it('before the cut are counted, and teach the dictionaries nothing', async () => {
    const cut = plusMs(NOW, -5000)
    const old = aDetail(6, { model: 'forgotten' })

    expect(await add(aBatch([aDetail(5), old]), cut)).toEqual({ stored: 1, expired: 1 })
    expect(await fresh.rows('SELECT name FROM svc_quota_monitor.models')).toEqual([['model']])
  })

  it.each([
    { what: 'forwards', prepared: 0, moved: -5000 },
    { what: 'backwards', prepared: -5000, moved: -9000 },
  ])('are counted by the later cut where it moves $what meanwhile', async ({ prepared, moved }) => {
    const batch = aBatch([aDetail(3), aDetail(6)])
    const cutAt = (age: number) => (age === 0 ? NEVER : plusMs(NOW, age))
    const one = await rows.prepare(batch, { upstream: 'tokyo', cut: cutAt(prepared) })

    expect(await rows.add(one, cutAt(moved))).toEqual({ stored: 1, expired: 1 })
    expect(await fresh.rows(COUNT)).toEqual([[1]])
  })

  it('of a transaction that failed are in no sum, before or after', async () => {
    const batch = aBatch([aDetail(1)])
    const one = await rows.prepare(batch, { upstream: 'tokyo', cut: NEVER })
    await expect(
      fresh.session.transaction('write', async () => {
        await rows.add(one, NEVER)
        throw new Error('disk')
      }),
    ).rejects.toThrow('disk')
    expect(await fresh.rows(COUNT)).toEqual([[0]])

    await add(aBatch([aDetail(3)]))
    expect(await fresh.rows(MINUTES)).toEqual([[1]])
  })
})

describe('quarantined records', () => {
  it('are the newest two hundred, of one batch and of several', async () => {
    const quarantine = (first: number, count: number, at = NOW) =>
      rows.quarantine(
        Array.from({ length: count }, (_, index) => ({
          reason: 'bad_shape' as const,
          shape: `{${first + index}}`,
        })),
        { upstreamId: 1, at },
      )
    const ends =
      'SELECT count(*), min(at_ms), max(at_ms), (SELECT shape FROM svc_quota_monitor.quarantine ORDER BY id LIMIT 1) FROM svc_quota_monitor.quarantine'
    await quarantine(0, 201)
    expect(await fresh.rows(ends)).toEqual([[200, NOW, NOW, '{1}']])

    await quarantine(500, 2, plusMs(NOW, 1))
    expect(await fresh.rows(ends)).toEqual([[200, NOW, NOW + 1, '{3}']])
  })
})
