import { afterAll, beforeEach, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { connectionOf } from './address.ts'
import { createCut } from './cut.ts'
import { createMeta } from './meta.ts'
import { openSession, type Session } from './session.ts'

const schemas = freshSchemas()
let fresh: FreshSchema
let other: Session
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
  await createMeta(fresh.session).giveIdentity()
  other = await openSession(connectionOf(fresh.address, null))
  return () => other.close()
})
afterAll(() => schemas.remove())

const cutOn = (session: Session) => createCut(session, createMeta(session))

it('is the beginning of time, or none, before it is set', async () => {
  const cut = cutOn(fresh.session)

  expect(await cut.read()).toBe(0)
  expect(await fresh.session.transaction('write', () => cut.keep())).toBe(0)
  expect(await fresh.session.transaction('write', () => cut.take())).toBeNull()
})

it('is not moved before those that store by it are done, and they never wait for each other', async () => {
  const events: string[] = []
  let moved: Promise<void> = Promise.resolve()
  await fresh.session.transaction('write', async () => {
    await cutOn(fresh.session).keep()
    await other.transaction('write', () => cutOn(other).keep())
    moved = other.transaction('write', async () => {
      await cutOn(other).take()
      events.push('taken')
      await createMeta(other).set({ cut_ms: 7 })
    })
    // Long enough for the other to have asked.
    for (let asked = 0; asked < 20; asked += 1) await fresh.session.rows('SELECT 1')
    events.push('stored')
  })
  await moved

  expect(events).toEqual(['stored', 'taken'])
  expect(await cutOn(fresh.session).read()).toBe(7)
})

it('is the new one for those that waited while it was moved', async () => {
  let kept: Promise<number> = Promise.resolve(0)
  await fresh.session.transaction('write', async () => {
    await cutOn(fresh.session).take()
    kept = other.transaction('write', () => cutOn(other).keep())
    for (let asked = 0; asked < 20; asked += 1) await fresh.session.rows('SELECT 1')
    await createMeta(fresh.session).set({ cut_ms: 9 })
  })

  expect(await kept).toBe(9)
})
