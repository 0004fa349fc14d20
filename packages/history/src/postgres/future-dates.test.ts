import { epochMs } from '@svc/core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { createMeta } from './meta.ts'
import { createPartitions } from './partitions.ts'
import { takeBackFuture } from './retention.ts'

const DAY_MS = 86_400_000
const DAY = Date.UTC(2026, 10, 20)
const NOW = epochMs(DAY + 43_200_500)

const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterAll(() => schemas.remove())

const takeBack = async () => {
  const meta = createMeta(fresh.session)
  await meta.set({ cut_ms: NOW + 400 * DAY_MS })
  await takeBackFuture(fresh.session, meta, NOW)
  return (await meta.read()).instant('cut_ms')
}
const sumAt = (at: number) =>
  fresh.session.run(
    'INSERT INTO svc_quota_monitor.rollup_86400 VALUES (0, $1, 0, 1, 1, 0, 0, 0, 0, 0)',
    [Math.floor(at / DAY_MS) * 86_400],
  )
const gapsAfter = async (...gaps: readonly (readonly [from: number, to: number])[]) => {
  for (const [from, to] of gaps)
    await fresh.session.run("INSERT INTO svc_quota_monitor.gaps VALUES (1, $1, $2, 'restart')", [
      NOW + from,
      NOW + to,
    ])
  await takeBack()
  const left = await fresh.rows(
    'SELECT from_ms, to_ms FROM svc_quota_monitor.gaps ORDER BY from_ms',
  )
  return left.map((gap) => gap.map((at) => Number(at) - NOW))
}

describe('what a wrong clock has left behind', () => {
  it('is no cut at all in a store without sums, or with those of that clock alone', async () => {
    expect(await takeBack()).toBeNull()

    await sumAt(NOW + 30 * DAY_MS)
    expect(await takeBack()).toBeNull()
  })

  it('is a cut behind the newest day with sums', async () => {
    await sumAt(DAY - 1)
    await sumAt(NOW + 30 * DAY_MS)

    expect(await takeBack()).toBe(DAY)
  })

  it('ends a gap now that goes on beyond, and keeps the one before', async () => {
    expect(await gapsAfter([-50, -20], [-10, 900])).toEqual([
      [-50, -20],
      [-10, 0],
    ])
  })

  it('makes one of two gaps that end now and begin at the same time', async () => {
    expect(await gapsAfter([-10, 0], [-10, 900])).toEqual([[-10, 0]])
  })

  it('deletes a gap that begins later, unless a row says that its time has come', async () => {
    expect(await gapsAfter([1, 900])).toEqual([])

    await createPartitions(fresh.session).ensure([NOW])
    await fresh.session.run(
      'INSERT INTO svc_quota_monitor.usage (at_ms, key, account_id, api_name_id, model_id, upstream_id, tokens, failed) VALUES ($1, 1, 1, 1, 1, 1, 1, false)',
      [NOW + 500],
    )
    expect(await gapsAfter([400, 900], [600, 900])).toEqual([[400, 900]])
  })

  it('moves changes of that clock to now and no others', async () => {
    for (const [id, at] of [NOW - 1, NOW, NOW + 1].entries())
      await fresh.session.run(
        "INSERT INTO svc_quota_monitor.recent_changes VALUES ($1, $2, 'bad', '{}')",
        [id, at],
      )
    await takeBack()

    expect(
      await fresh.rows('SELECT at_ms FROM svc_quota_monitor.recent_changes ORDER BY id'),
    ).toEqual([[NOW - 1], [NOW], [NOW]])
  })
})
