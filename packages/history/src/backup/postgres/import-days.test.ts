import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createPartitions } from '../../postgres/partitions.ts'
import { insertRows, type UsageRow } from '../../postgres/usage-rows.ts'
import { type FreshSchema, freshSchemas } from '../../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../../testing/postgres-programs.ts'
import { createDays, dayOf } from './import-days.ts'

const DAY = epochMs(Date.UTC(2026, 10, 20))
const NOW = plusMs(DAY, 86_400_000)
const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
  await fresh.session.run(
    `INSERT INTO svc_quota_monitor.upstreams (id, name) VALUES (1, 'tokyo'), (2, 'berlin')`,
  )
})
afterAll(() => schemas.remove())

const request = (key: number, upstream = 1): UsageRow => ({
  detail: {
    at: plusMs(DAY, key * 1_000),
    key: BigInt(key),
    accountKey: 'ann',
    apiName: 'key',
    model: 'm',
    tokens: 10,
    failed: key === 1,
    provider: 'codex',
    classes: null,
  },
  members: { account: 1, model: 1, api: 1, upstream, provider: 1 },
})

/** Adds these as an import would that knows, or does not know, what proxies they are of. */
async function add(rows: readonly UsageRow[], upstreams: readonly string[] | null = null) {
  const { session } = fresh
  await createPartitions(session).ensure([DAY])
  const days = createDays(session, NOW, upstreams)
  await session.transaction('write', async () => {
    await days.begin(rows.map(({ detail }) => detail.at))
    await days.added(await insertRows(session, rows))
    await days.end(null)
  })
}
const sums = (where: string) =>
  fresh.rows(
    `SELECT sum(requests)::int AS requests, sum(tokens)::int AS tokens, sum(failed)::int AS failed FROM svc_quota_monitor.rollup_86400 WHERE ${where}`,
  )
const forget = (below: EpochMs) =>
  fresh.session.run('DELETE FROM svc_quota_monitor.usage WHERE at_ms < $1', [below])

describe('the sums of a day that rows are added to', () => {
  it('grow by what was not there before, in every width', async () => {
    await add([request(1), request(2)])
    await add([request(2), request(3)])

    expect(await sums('grouping = 0')).toEqual([[3, 30, 1]])
    expect(
      await fresh.rows(
        'SELECT sum(requests)::int FROM svc_quota_monitor.rollup_60 WHERE grouping = 5',
      ),
    ).toEqual([[3]])
  })

  it('are left where rows were forgotten, unless the rows come to more', async () => {
    await add([request(1), request(2), request(3)])
    await forget(plusMs(DAY, 2_000))
    await add([request(4)])
    expect(await sums('grouping = 0')).toEqual([[3, 30, 1]])

    await add([request(1), request(5)])
    expect(await sums('grouping = 0')).toEqual([[5, 50, 1]])
  })

  it('grow by those of a proxy of which nothing was forgotten', async () => {
    await add([request(1), request(2), request(3)])
    await forget(plusMs(DAY, 3_000))
    await add([request(4, 2)], ['berlin'])

    expect(await sums('grouping = 0')).toEqual([[4, 40, 1]])
    expect(await sums('grouping = 4 AND member_id = 2')).toEqual([[1, 10, 0]])
  })
})

it('a day begins at midnight', () => {
  expect([DAY, DAY - 1, plusMs(DAY, 86_399_999)].map(dayOf)).toEqual([DAY, DAY - 86_400_000, DAY])
})
