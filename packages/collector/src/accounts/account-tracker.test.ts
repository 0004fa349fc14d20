import { type EpochMs, plusMs, type RequestSlot } from '@svc/core'
import type { StatusMessage } from '@svc/core/service'
import { anAccount, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createAccountTracker, type ListDiff, type Tracked } from './account-tracker.ts'

const at = (seconds: number) => plusMs(NOW, seconds * 1000)
const noMessage = () => ({ kind: 'none' }) as const
const aSighting = (changes: Partial<ListDiff> = {}): ListDiff => ({
  messageHash: null,
  messageSince: null,
  listsCooldowns: false,
  earlier: null,
  updatedAt: null,
  modifiedAt: null,
  successCount: 0,
  failedCount: null,
  nextRetryAt: null,
  recentRequests: [],
  ...changes,
})

it('a message that an earlier process has seen is as old as it was then', () => {
  const list = createAccountTracker().nextList()
  const sighting = aSighting({ messageHash: 'fault', messageSince: at(-3_600), updatedAt: at(-10) })
  expect(list.follow('ann', sighting, NOW, noMessage).messageAt).toBe(at(-3_600))
})

it('a message is read again only if it is another one or the proxy begins to list cooldowns', () => {
  const tracker = createAccountTracker()
  const shown = aSighting({ messageHash: 'a', updatedAt: at(-60) })
  const lists = [shown, shown, { ...shown, listsCooldowns: true }, { ...shown, messageHash: 'b' }]
  const read = lists.map((sighting) => {
    let times = 0
    tracker.nextList().follow('one', sighting, NOW, () => {
      times += 1
      return { kind: 'quota' }
    })
    return times
  })

  expect(read).toEqual([1, 0, 1, 1])
})

/** Tracked times after each sighting, one list every 15 s. */
function follow(...sightings: readonly (ListDiff | null)[]): readonly (Tracked | null)[] {
  const tracker = createAccountTracker()
  return sightings.map((sighting, index) => {
    const list = tracker.nextList()
    return sighting === null ? null : list.follow('one', sighting, at(index * 15), noMessage)
  })
}
const messageTimes = (...sightings: readonly (ListDiff | null)[]) =>
  follow(...sightings).map((times) => times?.messageAt ?? null)
const successTimes = (...sightings: readonly (ListDiff | null)[]) =>
  follow(...sightings).map((times) => times?.lastSuccessAt ?? null)

describe('messageAt', () => {
  it('is updated_at at first sight, and stays while requests go on', () => {
    const first = aSighting({ messageHash: 'a', updatedAt: at(-60) })

    expect(
      messageTimes(first, { ...first, updatedAt: at(10) }, { ...first, updatedAt: at(29) }),
    ).toEqual([at(-60), at(-60), at(-60)])
  })

  it('moves with another message, and is none without one', () => {
    const one = aSighting({ messageHash: 'a', updatedAt: at(-60) })
    const other = aSighting({ messageHash: 'b', updatedAt: at(14) })

    expect(messageTimes(one, other, aSighting(), one)).toEqual([at(-60), at(14), null, at(-60)])
  })

  it('is never in the future', () => {
    expect(messageTimes(aSighting({ messageHash: 'a', updatedAt: at(500) }))).toEqual([NOW])
  })

  it('without updated_at is not known at first, else the time of the list that first showed it', () => {
    expect(messageTimes(aSighting({ messageHash: 'a' }), aSighting({ messageHash: 'b' }))).toEqual([
      null,
      at(15),
    ])
  })
})

describe('lastSuccessAt', () => {
  const count = (successCount: number | null) => aSighting({ successCount })
  const slots = (...counts: readonly number[]) =>
    counts.map((success, index) => ({
      startAt: at(-600 * (counts.length - 1 - index)),
      success,
      failed: 0,
    }))

  it('is the time of the list that shows a higher count', () => {
    expect(successTimes(count(5), count(5), count(6), count(6))).toEqual([
      null,
      null,
      at(30),
      at(30),
    ])
  })

  it('is no later than updated_at, so that a login which died after it is not taken for proven', () => {
    const died = aSighting({ successCount: 6, messageHash: 'dead', updatedAt: at(9) })

    expect(follow(aSighting({ successCount: 5 }), died).at(-1)).toMatchObject({
      messageAt: at(9),
      lastSuccessAt: at(9),
    })
  })

  it('survives a restarted proxy, which counts from 0', () => {
    expect(successTimes(count(5), count(6), count(0), count(0), count(2), count(2))).toEqual([
      null,
      at(15),
      at(15),
      at(15),
      at(60),
      at(60),
    ])
  })

  it('counts successes since a restart as new, even when they are fewer', () => {
    expect(successTimes(count(5), count(3))).toEqual([null, at(15)])
  })

  it.each<[RequestSlot[], EpochMs | null, EpochMs | null, string]>([
    [slots(4, 0, 0), null, at(-600), 'the end of the newest slot with a success'],
    [slots(0, 0, 3), null, NOW, 'never the future'],
    [slots(0, 0, 3), at(-100), at(-100), 'not after the last change of the account'],
    [slots(0, 0, 0), at(-100), null, 'no success'],
    [[], at(-100), null, 'no slots'],
  ])('at first sight follows from the slots (row %#)', (recentRequests, updatedAt, expected) => {
    expect(successTimes(aSighting({ recentRequests, updatedAt, successCount: 9 }))).toEqual([
      expected,
    ])
  })

  it('of a proxy that does not count follows from the slots each time', () => {
    expect(
      successTimes(count(null), aSighting({ successCount: null, recentRequests: slots(1) })),
    ).toEqual([null, at(15)])
  })
})

describe('what an account was refused with', () => {
  const fault = { kind: 'auth_fault', code: 'unauthorized', deactivated: false } as const
  const refused = (seconds: number, changes: Partial<ListDiff> = {}) =>
    aSighting({ messageHash: 'refused', updatedAt: at(seconds), failedCount: 1, ...changes })
  const cleared = (seconds: number, changes: Partial<ListDiff> = {}) =>
    aSighting({ updatedAt: at(seconds), failedCount: 1, ...changes })
  /** Tracked result after the last sighting, one list every 15 s. */
  function last(message: StatusMessage, ...sightings: readonly ListDiff[]): Tracked | undefined {
    const tracker = createAccountTracker()
    return sightings
      .map((sighting, index) =>
        tracker
          .nextList()
          .follow('one', sighting, at(index * 15), () =>
            sighting.messageHash === null ? { kind: 'none' } : message,
          ),
      )
      .at(-1)
  }

  it('stays when the proxy shows nothing of it any more', () => {
    expect(last(fault, refused(-5), cleared(14), cleared(14))).toMatchObject({
      message: { kind: 'none' },
      verdict: { origin: 'list', at: at(-5), message: fault },
    })
  })

  it.each([
    { why: 'succeeds', changes: { successCount: 1, updatedAt: at(14) }, stays: false },
    {
      why: 'succeeds and fails, in whichever order',
      changes: { successCount: 1, failedCount: 2, updatedAt: at(14) },
      stays: false,
    },
    { why: 'has a file that was written anew', changes: { modifiedAt: at(10) }, stays: true },
    { why: 'fails again unseen', changes: { failedCount: 2 }, stays: true },
  ])('stays or goes when the account $why', ({ changes, stays }) => {
    const tracked = last(fault, refused(-5), cleared(14, changes))
    expect(tracked?.verdict?.message).toEqual(stays ? fault : undefined)
  })

  it('is as new as the last failure while it is shown', () => {
    expect(last(fault, refused(-5), refused(12, { failedCount: 2 }))?.verdict?.at).toBe(at(12))
    // A success and then a refusal between two lists; the second list shows the refusal.
    const both = refused(12, { failedCount: 2, successCount: 1 })
    expect(last(fault, refused(-5), both)).toMatchObject({ provenAt: NOW, verdict: { at: at(12) } })
  })

  it('is unknown where a first failure is counted, and its file rewritten, and no message left', () => {
    const before = aSighting({ failedCount: 0, modifiedAt: at(-900) })
    const after = (changes: Partial<ListDiff>) =>
      last(fault, before, cleared(9, { modifiedAt: at(10), ...changes }))?.verdict ?? null
    expect(after({})).toMatchObject({ at: at(9), message: { kind: 'other' } })
    expect(after({ modifiedAt: at(-900) })).toBeNull()
    expect(after({ successCount: 1 })).toBeNull()
    expect(after({ failedCount: 0 })).toBeNull()
  })

  it('of an earlier process is known until the account succeeds', () => {
    const verdict = {
      origin: 'record',
      at: at(-60),
      message: fault,
      retryAt: null,
      inARow: 1,
    } as const
    const earlier = anAccount('one', { verdict, provenAt: at(-90) })
    const slot = (success: number) => [{ startAt: at(-300), success, failed: 1 }]
    const first = cleared(-9, { earlier, successCount: 4, recentRequests: slot(1) })
    expect(last(fault, first)).toMatchObject({ verdict, provenAt: at(-90) })
    expect(last(fault, first, cleared(14, { successCount: 5 }))?.verdict).toBeNull()
  })
})

it('an account that leaves the list is forgotten', () => {
  const seen = aSighting({ messageHash: 'a', updatedAt: at(-60), successCount: 3 })

  expect(follow(seen, null, { ...seen, updatedAt: at(20), successCount: 9 })[2]).toMatchObject({
    messageAt: at(20),
    lastSuccessAt: null,
  } satisfies Record<string, EpochMs | null>)
})

describe('the counters', () => {
  type Counts = Readonly<Record<string, readonly [success: number | null, failed: number | null]>>

  /** Request totals after each list, one list every 15 s. */
  function totals(...lists: readonly Counts[]) {
    const tracker = createAccountTracker()
    return lists.map((counts, index) => {
      const list = tracker.nextList()
      for (const [name, [success, failed]] of Object.entries(counts))
        list.count(name, { success, failed })
      return list.counters(at(index * 15))
    })
  }
  const total = (success: number, failed: number, restartedAt: EpochMs | null = null) => ({
    success,
    failed,
    tokens: null,
    restartedAt,
  })

  it('add up what the proxy counts, file by file', () => {
    expect(totals({ a: [10, 1], b: [5, 0] }, { a: [12, 2], b: [5, 0] })).toEqual([
      total(15, 1),
      total(17, 2),
    ])
  })

  it('are none where the proxy does not count', () => {
    expect(totals({}, { a: [null, null] }, { a: [3, null] })).toEqual([null, null, total(3, 0)])
  })

  it('never go back: a restarted proxy begins a new count on top, and when is said', () => {
    expect(
      totals({ a: [10, 4], b: [7, 0] }, { a: [1, 0], b: [0, 0] }, { a: [2, 0], b: [1, 0] }),
    ).toEqual([total(17, 4), total(18, 4, at(15)), total(20, 4, at(15))])
  })

  it('keep what a file had that is gone, and count it once when it comes back', () => {
    expect(totals({ a: [10, 0], b: [5, 0] }, { b: [5, 0] }, { a: [11, 0], b: [5, 0] })).toEqual([
      total(15, 0),
      total(15, 0),
      total(16, 0),
    ])
  })

  it('remember a bounded number of files, and lose no count by it', () => {
    const tracker = createAccountTracker()
    for (let file = 0; file < 20_500; file += 1)
      tracker.nextList().count(`file-${file}`, { success: 1, failed: 0 })

    expect(tracker.nextList().counters(NOW)).toEqual(total(20_500, 0))
  })
})
