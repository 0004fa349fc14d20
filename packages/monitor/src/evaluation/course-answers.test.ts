import { type EpochMs, plusMs } from '@svc/core'
import { type CourseQuery, unrecordedCourses } from '@svc/core/account'
import { NOW, virtualClock } from '@svc/core/testing'
import { catalogueOf, type HealthHistoryPayload, type QuotaCourse } from '@svc/views'
import { describe, expect, it } from 'vitest'
import {
  type CourseSource,
  encodeCourse,
  encodeHealthHistory,
  type HealthHistorySource,
} from '../answers/encode-course.ts'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import { ReaderBusy } from '../store/store-reader.ts'
import { createCourseAnswers } from './course-answers.ts'

const words = catalogueOf('en')
const LISTED = '0011223344556677'
const RECORDED = '8899aabbccddeeff'
const query = (accountKey: string): CourseQuery => ({ accountKey, range: '24h' })

/** Courses from a store with readings of one account, which is no longer listed. */
function answers({ withStore = true }: { readonly withStore?: boolean } = {}) {
  const clock = virtualClock(async () => undefined)
  let failure: Error | null = null
  let moment: EpochMs = NOW
  let asked = 0
  const source: CourseSource = async (asking, now) => {
    asked += 1
    if (failure !== null) throw failure
    return asking.accountKey === RECORDED
      ? encodeCourse(unrecordedCourses(asking, now).slice(0, 1), asking, { now, words })
      : null
  }
  const healthSource: HealthHistorySource = async (now) => {
    asked += 1
    if (failure !== null) throw failure
    return encodeHealthHistory({ stretches: [], awaySince: null }, now)
  }
  return {
    clock,
    ...createCourseAnswers({
      source: withStore ? source : null,
      healthSource: withStore ? healthSource : null,
      provider: () => 'codex',
      asOf: () => moment,
      isListed: (accountKey) => accountKey === LISTED,
      clock,
      words,
    }),
    asked: () => asked,
    speakOf: (at: EpochMs) => {
      moment = at
    },
    fail: (next: Error | null) => {
      failure = next
    },
  }
}
const bodyOf = (answer: ReadyAnswer | null): QuotaCourse | null =>
  answer === null ? null : JSON.parse(Buffer.from(answer.plain.bytes).toString())

describe('answers of courses', () => {
  it.each([
    { who: 'an account that is recorded and not listed', accountKey: RECORDED, windows: 1 },
    { who: 'an account that is listed and not recorded', accountKey: LISTED, windows: 2 },
  ])('are there for $who', async ({ accountKey, windows }) => {
    const body = bodyOf(await answers().answer(query(accountKey)))

    expect(body).toMatchObject({ accountKey, available: true, reason: null })
    expect(body?.windows).toHaveLength(windows)
  })

  it.each([
    { what: 'with a store', withStore: true },
    { what: 'without one', withStore: false },
  ])('are none for an account that nobody knows, $what', async ({ withStore }) => {
    expect(await answers({ withStore }).answer(query('ffffffffffffffff'))).toBeNull()
  })

  it('say that there is no store', async () => {
    const { answer } = answers({ withStore: false })

    expect(bodyOf(await answer(query(LISTED)))).toMatchObject({
      available: false,
      reason: 'no_store',
      windows: [],
    })
  })

  it('say for now alone that the store cannot be read', async () => {
    const { answer, fail } = answers()
    fail(new Error('corrupt'))
    expect(bodyOf(await answer(query(LISTED)))).toMatchObject({
      available: false,
      reason: 'store_unavailable',
    })
    fail(null)

    expect(bodyOf(await answer(query(LISTED)))).toMatchObject({ available: true })
  })

  it('reject while the reader is busy, and do not keep that', async () => {
    const { answer, fail } = answers()
    fail(new ReaderBusy('replaced'))
    await expect(answer(query(LISTED))).rejects.toBeInstanceOf(ReaderBusy)
    fail(null)

    expect(await answer(query(LISTED))).not.toBeNull()
  })

  it('are the same bytes for as long as the other answers speak of the same moment', async () => {
    const { answer, asked, clock, speakOf } = answers()
    const first = await answer(query(RECORDED))
    await clock.advance(4_999)
    expect(await answer(query(RECORDED))).toBe(first)
    await clock.advance(2)
    expect((await answer(query(RECORDED)))?.plain.etag).toBe(first?.plain.etag)
    expect(asked()).toBe(2)
    speakOf(plusMs(NOW, 15_000))

    expect((await answer(query(RECORDED)))?.plain.etag).not.toBe(first?.plain.etag)
  })
})

describe('the history of health', () => {
  const historyOf = ({ plain }: ReadyAnswer): HealthHistoryPayload =>
    JSON.parse(Buffer.from(plain.bytes).toString())

  it('is read once for all who ask within a minute', async () => {
    const { health, asked, speakOf } = answers()
    const first = await health()
    speakOf(plusMs(NOW, 59_000))

    expect(historyOf(first)).toMatchObject({ available: true, reason: null, stretches: [] })
    expect(await health()).toBe(first)
    speakOf(plusMs(NOW, 60_000))
    expect(await health()).not.toBe(first)
    expect(asked()).toBe(2)
  })

  it('says why there is none, for now alone, and rejects while the reader is busy', async () => {
    expect(historyOf(await answers({ withStore: false }).health())).toMatchObject({
      available: false,
      reason: 'no_store',
    })
    const { health, fail } = answers()
    fail(new Error('corrupt'))
    expect(historyOf(await health())).toMatchObject({ reason: 'store_unavailable' })
    fail(new ReaderBusy('replaced'))
    await expect(health()).rejects.toBeInstanceOf(ReaderBusy)
    fail(null)
    expect(historyOf(await health())).toMatchObject({ available: true })
  })
})
