import { epochMs } from '@svc/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { createDictionaries, type Dictionaries } from './dictionary.ts'
import { createFeed } from './feeds.ts'

let fresh: FreshDatabase
let names: Dictionaries
beforeEach(() => {
  fresh = freshDatabase()
  names = createDictionaries(fresh.db, 'instance')
})
afterEach(() => fresh.remove())

const feedOf = (upstream: string) => createFeed(fresh.db, names.upstreams, upstream)

describe('the feed of a proxy', () => {
  it('is nowhere before it was read, and teaches the store no name', () => {
    expect(feedOf('tokyo').position()).toEqual({ lastPollAt: null, treeRequests: null })
    expect(feedOf('tokyo').popMark()).toBeNull()
    expect(fresh.rows('SELECT name FROM upstreams')).toEqual([['default']])
  })

  it('moves on its own, and keeps what it is not told', () => {
    feedOf('tokyo').moveTo({ lastPollAt: epochMs(5), treeRequests: 7 })
    feedOf('berlin').moveTo({ lastPollAt: epochMs(9), treeRequests: null })
    feedOf('tokyo').moveTo({ lastPollAt: epochMs(6), treeRequests: null })

    expect(feedOf('tokyo').position()).toEqual({ lastPollAt: 6, treeRequests: 7 })
    expect(feedOf('berlin').position()).toEqual({ lastPollAt: 9, treeRequests: null })
  })

  it('has its mark until it is taken away', () => {
    feedOf('tokyo').setPopMark(epochMs(5))
    expect([feedOf('tokyo').popMark(), feedOf('default').popMark()]).toEqual([5, null])

    feedOf('tokyo').setPopMark(null)
    expect(feedOf('tokyo').popMark()).toBeNull()
  })
})
