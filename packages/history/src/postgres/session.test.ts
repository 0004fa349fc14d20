import { afterAll, beforeEach, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { connectionOf } from './address.ts'
import { openSession } from './session.ts'

const schemas = freshSchemas()
const databases = ownDatabases()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterAll(async () => {
  await schemas.remove()
  await databases.remove()
})

const gapCount = async () =>
  Number((await fresh.rows('SELECT count(*) FROM svc_quota_monitor.gaps'))[0]?.[0])
const addGap = (from: number) =>
  fresh.session.run("INSERT INTO svc_quota_monitor.gaps VALUES (1, $1, 9, 'restart')", [from])

it('runs one transaction after the other, each of them whole or not at all', async () => {
  const { session } = fresh
  const [failed, stored] = await Promise.allSettled([
    session.transaction('write', async () => {
      await addGap(1)
      throw new Error('no')
    }),
    session.transaction('write', () => addGap(2)),
  ])

  expect([failed.status, stored.status]).toEqual(['rejected', 'fulfilled'])
  expect(await gapCount()).toBe(1)
})

it('goes on after a statement that failed, and says what kind of failure that was', async () => {
  await addGap(1)
  await expect(fresh.session.transaction('write', () => addGap(1))).rejects.toMatchObject({
    name: 'HistoryError',
  })
  await expect(fresh.session.transaction('read', () => addGap(2))).rejects.toMatchObject({
    code: 'read_only',
  })

  expect(await gapCount()).toBe(1)
})

it('reads integers of 64 bits as numbers', async () => {
  expect(await fresh.rows("SELECT 9007199254740991::bigint AS n, '7'::text AS t")).toEqual([
    [9007199254740991, '7'],
  ])
})

it('is closed though the server does not answer any more', async () => {
  const session = await openSession(connectionOf(await databases.nextAddress(), null))
  const server = await databases.server()
  server.freeze()
  try {
    await session.close()
    await expect(session.rows('SELECT 1')).rejects.toMatchObject({ code: 'unreachable' })
  } finally {
    server.thaw()
  }
})
