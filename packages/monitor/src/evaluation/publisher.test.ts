import { noTrends } from '@svc/core/pool'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf, virtualClock } from '@svc/core/testing'
import { createWording } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { encodeJson } from '../answers/encode-json.ts'
import type { Compression } from '../answers/ready-answer.ts'
import { emptyPayloads } from '../testing/encoded-payloads.ts'
import { createPublisher, createReadDemand, type Published } from './publisher.ts'

const text = createWording('UTC')
const STATUS = { payload: 'status', compression: 'gzip' } as const
const HEALTH = { payload: 'health', compression: 'none' } as const
const ALL_PLAIN = { status: 'none', recommendations: 'none', health: 'none', stats: 'none' }
const ready = aSnapshot([[anAccount('one'), evidenceOf([aQuotaSample()])]])
const unready = aSnapshot([], {
  sources: { accounts: { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null } },
})

/** A publisher in virtual time that counts its wordings and publications. */
function aPublisher({ readPaceMs = 5_000 } = {}) {
  const clock = virtualClock(async () => undefined)
  const published: Published[] = []
  let encodings = 0
  let isMoreKnown = false
  const publisher = createPublisher({
    encode(snapshot, wanted) {
      encodings += 1
      return {
        snapshot,
        payloads: emptyPayloads(wanted),
        context: { text, usage: { kind: 'off' }, trends: noTrends, refresh: { status: 'idle' } },
        ifStalled: { health: encodeJson({}), gauges: [] },
      }
    },
    encodeMore: (from, wanted) => ({
      ...from,
      payloads: { ...emptyPayloads(wanted), ...from.payloads },
    }),
    refreshContext: (from) => (isMoreKnown ? { ...from } : from),
    readPaceMs,
    onPublish: (one) => void published.push(one),
    clock,
  })
  return {
    clock,
    publisher,
    publishedCount: () => published.length,
    encodings: () => encodings,
    /** Compression of each payload of a publication, by default the last one. */
    made: (index = -1) =>
      Object.fromEntries(
        Object.entries(published.at(index)?.payloads ?? {}).map(([name, { compression }]) => [
          name,
          compression,
        ]),
      ),
    learnMore() {
      isMoreKnown = true
    },
  }
}

describe('a snapshot', () => {
  it('is published whole at first, even with no reader', () => {
    const { publisher, publishedCount } = aPublisher()
    expect(publisher.isOutdated()).toBe(true)
    publisher.publish(ready)

    expect(publishedCount()).toBe(1)
    expect(publisher.isOutdated()).toBe(false)
  })

  it.each<{ why: string; isRead: boolean; afterMs: number; isPublished: boolean }>([
    { why: 'while somebody reads', isRead: true, afterMs: 0, isPublished: true },
    { why: 'while nobody reads', isRead: false, afterMs: 0, isPublished: false },
    { why: 'just before a minute is over', isRead: false, afterMs: 59_899, isPublished: false },
    { why: 'when a timer fires a little early', isRead: false, afterMs: 59_900, isPublished: true },
  ])('$why is worded: $isPublished', async ({ isRead, afterMs, isPublished }) => {
    const { clock, publisher, publishedCount, encodings } = aPublisher()
    publisher.publish(ready)
    await clock.advance(afterMs)
    if (isRead) publisher.noteReader(null)
    publisher.publish(ready)

    expect([publishedCount(), encodings()]).toEqual(isPublished ? [2, 2] : [1, 1])
    expect(publisher.isOutdated()).toBe(!isPublished)
  })

  it('is published at once until one says that the service is ready', () => {
    const { publisher, publishedCount } = aPublisher()
    publisher.publish(unready)
    publisher.publish(unready)
    publisher.publish(ready)
    expect(publishedCount()).toBe(3)
    publisher.publish(ready)

    expect(publishedCount()).toBe(3)
  })

  it('is published at once if it says that the service is no longer ready', () => {
    const { publisher, publishedCount } = aPublisher()
    publisher.publish(ready)
    publisher.publish(unready)

    expect(publishedCount()).toBe(2)
  })
})

describe('the payloads', () => {
  it('that nobody reads are all made once a minute, and not compressed', async () => {
    const { clock, publisher, publishedCount, made } = aPublisher()
    for (let minute = 0; minute < 3; minute += 1) {
      publisher.publish(ready)
      expect([publishedCount(), made()]).toEqual([minute + 1, ALL_PLAIN])
      await clock.advance(60_000)
    }
  })

  it.each([
    { afterMs: 0, expected: {} },
    { afterMs: 59_899, expected: {} },
    { afterMs: 59_900, expected: ALL_PLAIN },
  ])(
    'that a scraper does not read are made $afterMs ms after all were: $expected',
    async ({ afterMs, expected }) => {
      const { clock, publisher, made } = aPublisher()
      publisher.publish(ready)
      await clock.advance(afterMs)
      publisher.noteReader(null)
      publisher.publish(ready)

      expect(made()).toEqual(expected)
    },
  )

  it('are due a minute after all were made, whatever the pace of the readers', async () => {
    const { clock, publisher, made } = aPublisher({ readPaceMs: 14_000 })
    publisher.publish(ready)
    const madeAtMs = clock.monotonicMs()
    for (let round = 0; round < 5; round += 1) {
      publisher.noteReader(STATUS)
      await clock.advance(publisher.dueAtMs() - clock.monotonicMs())
      publisher.noteReader(STATUS)
      publisher.publish(ready)
    }

    expect(clock.monotonicMs() - madeAtMs).toBe(60_000)
    expect(made()).toEqual({ ...ALL_PLAIN, status: 'gzip' })
  })

  it('that were read in the last minute are made, as they were read', async () => {
    const { clock, publisher, made } = aPublisher()
    publisher.publish(ready)
    await clock.advance(10_000)
    publisher.noteReader(STATUS)
    await clock.advance(10_000)
    publisher.noteReader(HEALTH)
    publisher.noteReader({ ...HEALTH, compression: 'br' })
    publisher.publish(ready)
    expect(made()).toEqual({ status: 'gzip', health: 'br' })
    await clock.advance(40_000)
    publisher.publish(ready)
    expect(made()).toEqual({ ...ALL_PLAIN, status: 'gzip', health: 'br' })
    await clock.advance(10_000)
    publisher.noteReader(HEALTH)
    publisher.publish(ready)
    expect(made()).toEqual({ health: 'br' })
    await clock.advance(10_000)
    publisher.publish(ready)

    expect(made()).toEqual({ health: 'none' })
  })

  it('are all made until there is an account list, and with the first one', () => {
    const { publisher, made } = aPublisher()
    publisher.publish(unready)
    publisher.publish(unready)
    publisher.publish(ready)
    expect([made(0), made(1), made(2)]).toEqual([ALL_PLAIN, ALL_PLAIN, ALL_PLAIN])
    publisher.noteReader(null)
    publisher.publish(ready)

    expect(made(3)).toEqual({})
  })

  it('that are read for the first time are made of the published snapshot, once', () => {
    const { publisher, publishedCount, encodings, made } = aPublisher()
    publisher.publish(ready)
    publisher.noteReader(null)
    publisher.publish(ready)
    publisher.noteReader(STATUS)
    publisher.encodeMissing(STATUS)
    expect(made()).toEqual({ status: 'gzip' })
    publisher.noteReader({ ...STATUS, compression: 'none' })
    publisher.encodeMissing({ ...STATUS, compression: 'none' })

    expect([publishedCount(), encodings()]).toEqual([3, 2])
  })

  it('that are supplied do not hide that more is known', () => {
    const { publisher, learnMore } = aPublisher()
    publisher.publish(ready)
    learnMore()
    publisher.republish()
    publisher.noteReader(STATUS)
    publisher.encodeMissing(STATUS)

    expect(publisher.isOutdated()).toBe(true)
  })
})

describe('the pace', () => {
  it.each([
    { readPaceMs: 5_000, intervalMs: 5_000 },
    { readPaceMs: 15_001, intervalMs: 15_000 },
    { readPaceMs: 600_000, intervalMs: 15_000 },
  ])('of readers who ask every $readPaceMs ms is $intervalMs ms', ({ readPaceMs, intervalMs }) => {
    const { clock, publisher } = aPublisher({ readPaceMs })
    publisher.publish(ready)
    publisher.noteReader(null)

    expect(publisher.intervalMs()).toBe(intervalMs)
    expect(publisher.dueAtMs() - clock.monotonicMs()).toBe(intervalMs)
  })

  it('is that of readers for a minute after the last one', async () => {
    const { clock, publisher } = aPublisher()
    publisher.noteReader(null)
    await clock.advance(59_999)
    expect([publisher.isRead(), publisher.intervalMs()]).toEqual([true, 5_000])
    await clock.advance(1)

    expect([publisher.isRead(), publisher.intervalMs()]).toEqual([false, 60_000])
  })
})

describe('what is known besides the snapshot', () => {
  it('is not published before a snapshot is', () => {
    const { publisher, publishedCount, learnMore } = aPublisher()
    learnMore()
    publisher.noteReader(null)
    publisher.republish()

    expect(publishedCount()).toBe(0)
  })

  it('is published for a reader only when it is new', () => {
    const { publisher, publishedCount, encodings, learnMore } = aPublisher()
    publisher.publish(ready)
    publisher.noteReader(null)
    publisher.republish()
    expect(publishedCount()).toBe(1)
    learnMore()
    publisher.republish()

    expect([publishedCount(), encodings()]).toEqual([2, 1])
  })

  it('waits for the next reader while nobody reads', () => {
    const { publisher, publishedCount, learnMore } = aPublisher()
    publisher.publish(ready)
    learnMore()
    publisher.republish()

    expect(publishedCount()).toBe(1)
    expect(publisher.isOutdated()).toBe(true)
    publisher.noteReader(null)
    publisher.publish(ready)
    expect(publisher.isOutdated()).toBe(false)
  })

  it('does not put off the next snapshot', async () => {
    const { clock, publisher, learnMore } = aPublisher()
    publisher.publish(ready)
    const dueAtMs = publisher.dueAtMs()
    await clock.advance(1_000)
    learnMore()
    publisher.noteReader(null)
    publisher.republish()

    expect(publisher.dueAtMs()).toBe(dueAtMs - 60_000 + 5_000)
  })
})

it.each<{ read: readonly Compression[]; wanted: Compression }>([
  { read: ['none'], wanted: 'none' },
  { read: ['br', 'none'], wanted: 'br' },
  { read: ['none', 'gzip'], wanted: 'gzip' },
  { read: ['br', 'gzip'], wanted: 'both' },
])('a payload read as $read is wanted as $wanted', ({ read, wanted }) => {
  const asked = createReadDemand()
  for (const compression of read) asked.note({ payload: 'stats', compression }, 0)

  expect(asked.wanted(0)).toEqual({ stats: wanted })
})

it('a reading counts for less than a minute, each compression apart', () => {
  const asked = createReadDemand()
  asked.note({ payload: 'status', compression: 'br' }, 0)
  asked.note({ payload: 'status', compression: 'gzip' }, 1)

  expect(asked.wanted(59_999)).toEqual({ status: 'both' })
  expect(asked.wanted(60_000)).toEqual({ status: 'gzip' })
  expect(asked.wanted(60_001)).toEqual({})
})

it.each([
  { what: 'something else than a payload', note: null, isAgeRead: true },
  { what: 'gauges', note: 'gauges', isAgeRead: false },
] as const)('who reads $what is a reader who wants no payload', ({ note, isAgeRead }) => {
  const asked = createReadDemand()
  expect(asked.isAnythingRead(0)).toBe(false)
  asked.note(note, 0)
  expect(asked.isAgeRead(59_999)).toBe(isAgeRead)
  expect(asked.isAgeRead(60_000)).toBe(false)

  expect(asked.wanted(0)).toEqual({})
  expect([asked.isAnythingRead(59_999), asked.isAnythingRead(60_000)]).toEqual([true, false])
})
