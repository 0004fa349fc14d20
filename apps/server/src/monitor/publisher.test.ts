import type { Snapshot } from '@svc/core'
import { noTrends } from '@svc/core/service'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf, virtualClock } from '@svc/core/testing'
import { createZone } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { encodeJson } from '../answers/encode-json.ts'
import { createPublisher, type Published } from './publisher.ts'

const text = createZone('UTC')
const payload = encodeJson({})
const ready = aSnapshot([[anAccount('one'), evidenceOf([aQuotaSample()])]])
const unready = aSnapshot([], {
  sources: { accounts: { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null } },
})

/** A publisher in virtual time, and how often it has worded and published. */
function aPublisher({ readPaceMs = 5_000 } = {}) {
  const clock = virtualClock(async () => undefined)
  const published: Published[] = []
  let encodings = 0
  let isMoreKnown = false
  const publisher = createPublisher({
    encode(snapshot: Snapshot) {
      encodings += 1
      return {
        snapshot,
        payloads: { status: payload, recommendations: payload, health: payload, stats: payload },
        context: { text, usage: { kind: 'off' }, trends: noTrends, refresh: { status: 'idle' } },
        ifStalled: { health: payload, inStatus: { before: '', after: '' }, gauges: [] },
      }
    },
    amend: (from) => (isMoreKnown ? { ...from } : from),
    readPaceMs,
    onPublish: (one) => void published.push(one),
    clock,
  })
  return {
    clock,
    publisher,
    publishedCount: () => published.length,
    encodings: () => encodings,
    learnMore() {
      isMoreKnown = true
    },
  }
}

describe('a snapshot', () => {
  it('is published at first, whoever reads', () => {
    const { publisher, publishedCount } = aPublisher()
    expect(publisher.isOutdated()).toBe(true)
    publisher.offer(ready)

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
    publisher.offer(ready)
    await clock.advance(afterMs)
    if (isRead) publisher.noteReader()
    publisher.offer(ready)

    expect([publishedCount(), encodings()]).toEqual(isPublished ? [2, 2] : [1, 1])
    expect(publisher.isOutdated()).toBe(!isPublished)
  })

  it('is published at once until one says that the service is ready', () => {
    const { publisher, publishedCount } = aPublisher()
    publisher.offer(unready)
    publisher.offer(unready)
    publisher.offer(ready)
    expect(publishedCount()).toBe(3)
    publisher.offer(ready)

    expect(publishedCount()).toBe(3)
  })
})

describe('the pace', () => {
  it.each([
    { readPaceMs: 5_000, intervalMs: 5_000 },
    { readPaceMs: 15_001, intervalMs: 15_000 },
    { readPaceMs: 600_000, intervalMs: 15_000 },
  ])('of readers who ask every $readPaceMs ms is $intervalMs ms', ({ readPaceMs, intervalMs }) => {
    const { clock, publisher } = aPublisher({ readPaceMs })
    publisher.offer(ready)
    publisher.noteReader()

    expect(publisher.intervalMs()).toBe(intervalMs)
    expect(publisher.dueAtMs() - clock.monotonicMs()).toBe(intervalMs)
  })

  it('is that of readers for a minute after the last one', async () => {
    const { clock, publisher } = aPublisher()
    publisher.noteReader()
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
    publisher.noteReader()
    publisher.amend()

    expect(publishedCount()).toBe(0)
  })

  it('is published for a reader only when it is new', () => {
    const { publisher, publishedCount, encodings, learnMore } = aPublisher()
    publisher.offer(ready)
    publisher.noteReader()
    publisher.amend()
    expect(publishedCount()).toBe(1)
    learnMore()
    publisher.amend()

    expect([publishedCount(), encodings()]).toEqual([2, 1])
  })

  it('waits for the next reader while nobody reads', () => {
    const { publisher, publishedCount, learnMore } = aPublisher()
    publisher.offer(ready)
    learnMore()
    publisher.amend()

    expect(publishedCount()).toBe(1)
    expect(publisher.isOutdated()).toBe(true)
    publisher.noteReader()
    publisher.offer(ready)
    expect(publisher.isOutdated()).toBe(false)
  })

  it('does not put off the next snapshot', async () => {
    const { clock, publisher, learnMore } = aPublisher()
    publisher.offer(ready)
    const dueAtMs = publisher.dueAtMs()
    await clock.advance(1_000)
    learnMore()
    publisher.noteReader()
    publisher.amend()

    expect(publisher.dueAtMs()).toBe(dueAtMs - 60_000 + 5_000)
  })
})
