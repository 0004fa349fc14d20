import { type CourseQuery, unrecordedCourses } from '@svc/core/account'
import { anAccount, aSnapshot, NOW, virtualClock } from '@svc/core/testing'
import { emptyRow } from '@svc/core/usage'
import { type AccountDetail, catalogueOf, createWording } from '@svc/views'
import { describe, expect, it } from 'vitest'
import type { AccountUsageSource } from '../answers/account-usage.ts'
import { encodeCourse } from '../answers/encode-course.ts'
import { ReaderBusy } from '../store/store-reader.ts'
import { createAccountAnswers } from './account-answers.ts'

const ann = anAccount('ann')
const { accountKey } = ann.selector
const QUERY: CourseQuery = { accountKey, range: '24h' }
const used = (requests: number) => ({ ...emptyRow({ id: accountKey, label: 'ann' }), requests })
const USED = { since: NOW, lastDay: [used(3)], lastWeek: [used(20)] }

/** Answers about one listed account. */
function answers(accountUsage: AccountUsageSource | null, { isKnown = true } = {}) {
  const { answer } = createAccountAnswers({
    latest: () => ({
      snapshot: aSnapshot([[ann, null]]),
      context: { text: createWording('UTC') },
    }),
    courses: {
      answer: async (query) =>
        isKnown
          ? encodeCourse(unrecordedCourses(query, NOW), query, {
              now: NOW,
              words: catalogueOf('en'),
            })
          : null,
    },
    usage: { asOf: async () => null },
    accountUsage,
    clock: virtualClock(async () => undefined),
  })
  return async (query = QUERY): Promise<AccountDetail | null> => {
    const made = await answer(query)
    return made === null ? null : JSON.parse(Buffer.from(made.plain.bytes).toString())
  }
}

describe('the answer about one account', () => {
  it('has its items, its usage of a day and of a week, and the course of its quota', async () => {
    const ask = answers(async () => USED)

    expect(await ask()).toMatchObject({
      items: [{ accountKey }],
      usage: { available: true, lastDay: { requests: 3 }, lastWeek: { requests: 20 } },
      quota: { accountKey, range: { id: '24h' } },
    })
  })

  it('reads the usage once for all accounts', async () => {
    let reads = 0
    const ask = answers(async () => {
      reads += 1
      return USED
    })
    const [, other] = [await ask(), await ask({ ...QUERY, accountKey: 'bob' })]

    expect(reads).toBe(1)
    expect(other?.usage.lastWeek).toEqual({ requests: 0, tokens: 0, failed: 0 })
  })

  it.each<{ why: string; source: AccountUsageSource | null; reason: string }>([
    { why: 'there is no store', source: null, reason: 'no_store' },
    {
      why: 'it cannot be read',
      source: () => Promise.reject(new Error('corrupt')),
      reason: 'store_unavailable',
    },
  ])('says so where $why', async ({ source, reason }) => {
    const ask = answers(source)

    expect((await ask())?.usage).toEqual({
      available: false,
      reason,
      since: null,
      lastDay: null,
      lastWeek: null,
    })
  })

  it('is none for an account that nobody knows, and rejects while the reader is busy', async () => {
    const busy = answers(() => Promise.reject(new ReaderBusy('replaced')))
    const unknown = answers(null, { isKnown: false })

    expect(await unknown()).toBeNull()
    await expect(busy()).rejects.toBeInstanceOf(ReaderBusy)
  })
})
