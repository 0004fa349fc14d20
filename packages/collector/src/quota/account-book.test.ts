import { evidenceFrom, plusMs } from '@svc/core'
import type { RememberedAccount } from '@svc/core/pool'
import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createAccountBook } from './account-book.ts'

const aBook = () => createAccountBook(virtualClock(() => Promise.resolve()))
const alice = anAccount('alice')
const bob = anAccount('bob')
const sample = aQuotaSample({ ageSeconds: 60 })
const remembered = (account = alice): ReadonlyMap<string, RememberedAccount> =>
  new Map([[alice.selector.authName, { account, evidence: evidenceOf([sample]) }]])
const samplesOf = (book: ReturnType<typeof aBook>, account = alice) =>
  book.evidence().get(account.selector.authName)?.samples

describe('an account book', () => {
  it('lists an account under its present index alone', () => {
    const book = aBook()
    book.follow([alice])
    const [watched] = book.all()
    if (watched === undefined) throw new Error('alice is listed')
    const before = watched.account.selector.authIndex
    book.follow([{ ...alice, selector: { ...alice.selector, authIndex: 'moved' } }])

    expect(book.lists(watched)).toBe(true)
    expect(book.lists(watched, 'moved')).toBe(true)
    expect(book.lists(watched, before)).toBe(false)
  })

  it('shows new evidence once it is said to have changed', () => {
    const book = aBook()
    book.follow([alice])
    expect(samplesOf(book)).toBeUndefined()
    for (const watched of book.all()) watched.evidence = evidenceFrom([sample])
    book.evidenceChanged()

    expect(samplesOf(book)).toEqual([sample])
  })
})

describe('what an earlier process has read', () => {
  it.each([
    { why: 'before the first list', restoreFirst: true },
    { why: 'after it', restoreFirst: false },
  ])('is added to the account when it is restored $why', ({ restoreFirst }) => {
    const book = aBook()
    if (restoreFirst) book.restore(remembered())
    book.follow([alice, bob])
    if (!restoreFirst) book.restore(remembered())

    expect(samplesOf(book)).toEqual([sample])
    expect(samplesOf(book, bob)).toBeUndefined()
  })

  it('is added once: an account that comes back later starts with what was read since', () => {
    const book = aBook()
    book.restore(remembered())
    book.follow([bob])
    book.follow([bob, alice])

    expect(samplesOf(book)).toBeUndefined()
  })

  it('does not replace a newer sample of this process', () => {
    const book = aBook()
    const newer = { ...sample, sampledAt: plusMs(NOW, 1) }
    book.follow([alice])
    for (const watched of book.all()) watched.evidence = evidenceFrom([newer])
    book.restore(remembered())

    expect(samplesOf(book)?.[0]?.sampledAt).toBe(newer.sampledAt)
    expect(newer.sampledAt).toBeGreaterThan(fromNow(-60))
  })
})
