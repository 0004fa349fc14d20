import { plusMs } from '@svc/core'
import { anAccount, aQuotaSample, NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createAccountBook } from './account-book.ts'
import { takePassiveQuota } from './passive-quota.ts'

const alice = anAccount('alice')
const direct = aQuotaSample({ week: 50, ageSeconds: 60 })
const fromHeaders = aQuotaSample({ week: 40, ageSeconds: 5 }, { origin: 'headers' })

/** Alice, watched, with a direct sample, and what headers say of her. */
function taken({ sample = fromHeaders, quotaClass = 'primary' as const, querying = false } = {}) {
  const book = createAccountBook(virtualClock(() => Promise.resolve()))
  book.follow([alice])
  const [watched] = book.all()
  if (watched === undefined) throw new Error('alice is listed')
  watched.evidence = { ...watched.evidence, samples: [direct] }
  Object.assign(watched, { quotaClass, querying })
  const activity = {
    accountKey: alice.selector.accountKey,
    sample,
    lastSuccessAt: plusMs(NOW, -5_000),
  }
  const changed = takePassiveQuota(book.all(), [activity as never], 7_000)
  return { watched, changed }
}

describe('quota that came with answers to requests', () => {
  it('is kept beside the direct sample, and replaces the next query', () => {
    const { watched, changed } = taken()

    expect(changed).toEqual([watched])
    expect(watched.evidence.samples).toEqual([direct, fromHeaders])
    expect(watched.times.lastAttemptAtMs).toBe(7_000)
  })

  it.each([
    { why: 'a query is under way', shape: { querying: true } },
    { why: 'the account is asked for another reason', shape: { quotaClass: 'recovery' as never } },
    {
      why: 'a window is missing',
      shape: { sample: aQuotaSample({ week: null, ageSeconds: 5 }, { origin: 'headers' }) },
    },
  ])('is kept and replaces no query where $why', ({ shape }) => {
    const { watched, changed } = taken(shape)

    expect(changed).toEqual([watched])
    expect(watched.times.lastAttemptAtMs).toBeNull()
  })

  it('changes nothing for accounts without it', () => {
    const { watched, changed } = taken({ sample: null as never })

    expect(changed).toEqual([])
    expect(watched.evidence.samples).toEqual([direct])
  })
})
