import { afterAll, beforeEach, expect, it } from 'vitest'
import { giveIdentity, setMeta } from '../sql/meta.ts'
import { boundsOfStore } from '../sql/usage-rows.ts'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { connectionOf } from './address.ts'
import { lockCutIn } from './postgres-store.ts'
import { openSession, type Session } from './session.ts'

const schemas = freshSchemas()
let fresh: FreshSchema
let other: Session
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
  await giveIdentity(fresh.session)
  other = await openSession(connectionOf(fresh.address, null))
  return () => other.close()
})
afterAll(() => schemas.remove())

it('the cut is not moved before those that store by it are done, and they never wait for each other', async () => {
  const events: string[] = []
  let moved: Promise<void> = Promise.resolve()
  await fresh.session.transaction('write', async () => {
    await lockCutIn(fresh.session, 'moving')
    await other.transaction('write', () => lockCutIn(other, 'moving'))
    moved = other.transaction('write', async () => {
      await lockCutIn(other, 'reading')
      events.push('taken')
      await setMeta(other, { cut_ms: 7 })
    })
    // Long enough for the other to have asked.
    for (let asked = 0; asked < 20; asked += 1) await fresh.session.rows('SELECT 1')
    events.push('stored')
  })
  await moved

  expect(events).toEqual(['stored', 'taken'])
  expect((await boundsOfStore(fresh.session)).cut).toBe(7)
})

it('the cut is the new one for those that waited while it was moved', async () => {
  let kept: Promise<number> = Promise.resolve(0)
  await fresh.session.transaction('write', async () => {
    await lockCutIn(fresh.session, 'reading')
    kept = other.transaction('write', async () => {
      await lockCutIn(other, 'moving')
      return (await boundsOfStore(other)).cut
    })
    for (let asked = 0; asked < 20; asked += 1) await fresh.session.rows('SELECT 1')
    await setMeta(fresh.session, { cut_ms: 9 })
  })

  expect(await kept).toBe(9)
})
