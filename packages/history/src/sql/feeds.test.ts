import { epochMs } from '@svc/core'
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmptyStore, emptyStores } from '../testing/empty-stores.ts'
import { always } from './connection.ts'
import { createFeed } from './feeds.ts'

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('the feed of a proxy in $engine', ({ whyNot, create }) => {
  let store: EmptyStore
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
  })

  /** Proxies are numbered by the length of their names. */
  const feedOf = async (upstream: string) => {
    const id = upstream.length
    await store.change(sql`INSERT INTO ${store.tables.upstreams} VALUES (${id}, ${upstream})`)
    const feed = createFeed(store.db, upstream, always)
    return {
      position: feed.position,
      popMark: feed.popMark,
      setPopMark: (at: number | null) => feed.setPopMark(id, at === null ? null : epochMs(at)),
      moveTo: (lastPollAt: number | null, treeRequests: number | null) =>
        feed.moveTo(id, {
          lastPollAt: lastPollAt === null ? null : epochMs(lastPollAt),
          treeRequests,
        }),
    }
  }

  it('is nowhere before it was read', async () => {
    const feed = createFeed(store.db, 'tokyo', always)

    expect(await feed.position()).toEqual({ lastPollAt: null, treeRequests: null })
    expect(await feed.popMark()).toBeNull()
  })

  it('moves on its own, and keeps what it is not told', async () => {
    const [tokyo, berlin] = [await feedOf('tokyo'), await feedOf('berlin')]
    await tokyo.moveTo(5, 7)
    await berlin.moveTo(9, null)
    await tokyo.moveTo(6, null)
    await tokyo.moveTo(null, 8)

    expect(await tokyo.position()).toEqual({ lastPollAt: 6, treeRequests: 8 })
    expect(await berlin.position()).toEqual({ lastPollAt: 9, treeRequests: null })
  })

  it('has its mark until it is taken away', async () => {
    const [tokyo, berlin] = [await feedOf('tokyo'), await feedOf('berlin')]
    await tokyo.setPopMark(5)
    expect([await tokyo.popMark(), await berlin.popMark()]).toEqual([5, null])

    await tokyo.setPopMark(null)
    expect(await tokyo.popMark()).toBeNull()
  })
})
