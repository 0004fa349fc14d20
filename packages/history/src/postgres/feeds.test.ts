import { epochMs } from '@svc/core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { createFeed } from './feeds.ts'
import { createFence } from './fence.ts'

const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterAll(() => schemas.remove())

/** Proxies are numbered by the length of their names. */
const feedOf = async (upstream: string) => {
  const id = upstream.length
  await fresh.session.run(
    'INSERT INTO svc_quota_monitor.upstreams VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [id, upstream],
  )
  return { feed: createFeed(fresh.session, createFence(fresh.session, null), upstream), id }
}

describe('the feed of a proxy', () => {
  it('is nowhere before it was read', async () => {
    const feed = createFeed(fresh.session, createFence(fresh.session, null), 'tokyo')

    expect(await feed.position()).toEqual({ lastPollAt: null, treeRequests: null })
    expect(await feed.popMark()).toBeNull()
  })

  it('moves on its own, and keeps what it is not told', async () => {
    const [tokyo, berlin] = [await feedOf('tokyo'), await feedOf('berlin')]
    await tokyo.feed.moveTo(tokyo.id, { lastPollAt: epochMs(5), treeRequests: 7 })
    await berlin.feed.moveTo(berlin.id, { lastPollAt: epochMs(9), treeRequests: null })
    await tokyo.feed.moveTo(tokyo.id, { lastPollAt: epochMs(6), treeRequests: null })
    await tokyo.feed.moveTo(tokyo.id, { lastPollAt: null, treeRequests: 8 })

    expect(await tokyo.feed.position()).toEqual({ lastPollAt: 6, treeRequests: 8 })
    expect(await berlin.feed.position()).toEqual({ lastPollAt: 9, treeRequests: null })
  })

  it('has its mark until it is taken away', async () => {
    const [tokyo, berlin] = [await feedOf('tokyo'), await feedOf('berlin')]
    await tokyo.feed.setPopMark(tokyo.id, epochMs(5))
    expect([await tokyo.feed.popMark(), await berlin.feed.popMark()]).toEqual([5, null])

    await tokyo.feed.setPopMark(tokyo.id, null)
    expect(await tokyo.feed.popMark()).toBeNull()
  })
})
