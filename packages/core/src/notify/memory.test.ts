import { describe, expect, it } from 'vitest'
import { type EpochMs, plusMs } from '../facts/time.ts'
import { NOW } from '../testing/builders.ts'
import { decideNotifications } from './decide-notifications.ts'
import {
  delivered,
  emptyMemory,
  type FailedAttempt,
  failed,
  type NotifyMemory,
  parseMemory,
} from './memory.ts'

const notice = {
  id: 'gateway_down',
  topic: 'action',
  code: 'gateway_down',
  tone: 'bad',
  count: 1,
  startsAt: NOW,
  title: 'The proxy does not answer',
  summary: 'Since 12:00.',
  upstream: 'tokyo',
} as const
const full: NotifyMemory = {
  version: 1,
  subjects: [
    {
      notice,
      isSeen: true,
      since: NOW,
      isOpen: true,
      hasEnd: true,
      isToldOpen: true,
      toldAt: NOW,
      times: 0,
      newsAt: null,
      flaps: false,
    },
  ],
  happened: [{ id: 'vendor_reset:week', startsAt: NOW }],
  outgoing: {
    message: {
      id: '1',
      at: NOW,
      notices: [{ ...notice, endsAt: null, times: 1 }],
      omittedCount: 0,
    },
    attemptCount: 1,
    firstAt: NOW,
    nextAt: NOW,
  },
  madeAt: [NOW],
  madeCount: 1,
  record: {
    sentCount: 1,
    lostCount: 0,
    lastSentAt: NOW,
    failure: { code: 'timeout', since: NOW },
    isFailing: false,
  },
}

describe('a stored memory', () => {
  it.each([full, emptyMemory])('is read back', (memory) => {
    expect(parseMemory(JSON.stringify(memory))).toEqual(memory)
  })

  it('with a value of another kind, or without one, is none', () => {
    const others = [{ x: 1 }, [[]], -1, 0.5, undefined, Array(101).fill(1)]
    for (const path of pathsOf(full)) {
      for (const other of others) {
        if (path.at(-1) === 'upstream' && other === undefined) continue
        expect(parseMemory(JSON.stringify(changed(path, other))), path.join('.')).toEqual(
          emptyMemory,
        )
      }
    }
  })

  it.each([
    ['subjects.0.notice.topic'],
    ['subjects.0.notice.tone'],
    ['record.failure.code'],
    ['more'],
  ])('with an unknown %s is none', (path) => {
    expect(parseMemory(JSON.stringify(changed(path.split('.'), '-')))).toEqual(emptyMemory)
  })

  it.each(['', 'null', '{', '[]', '{"version":2}', '{"__proto__":{}}'])('%j is none', (text) => {
    expect(parseMemory(text)).toEqual(emptyMemory)
  })
})

/** Where each value of a record of records and lists is. */
function pathsOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    [key],
    ...pathsOf(inner).map((path) => [key, ...path]),
  ])
}

function changed(path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(full) as unknown as Record<string, unknown>
  const parent = path.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, copy)
  parent[path.at(-1) ?? ''] = value
  return copy
}

const action = {
  id: 'a',
  topic: 'action',
  code: 'a',
  tone: 'bad',
  count: 1,
  startsAt: NOW,
  title: 't',
  summary: 's',
} as const
const rule = { on: ['action', 'recovered'], minTone: 'bad', quiet: null, quietBad: false } as const

const next = (memory: NotifyMemory, now: EpochMs, open: readonly (typeof action)[] = [action]) =>
  decideNotifications(memory, { open, happened: [] }, rule, { now, minuteOfDay: 0 }).memory

/** A target with one message to send, at this time. */
function aMessage(): { readonly memory: NotifyMemory; readonly at: EpochMs } {
  const held = [0, 60_000, 90_000].reduce(
    (memory, ms) => next(memory, plusMs(NOW, ms)),
    emptyMemory,
  )
  expect(held.outgoing?.message.notices).toHaveLength(1)
  return { memory: held, at: plusMs(NOW, 90_000) }
}

/** Seconds between the attempts until the message is given up, if every one of them fails so. */
function waits(
  attempt: FailedAttempt,
  random: number,
): { readonly waits: readonly number[]; readonly memory: NotifyMemory; readonly at: EpochMs } {
  let { memory, at } = aMessage()
  const seconds: number[] = []
  for (;;) {
    memory = failed(parseMemory(JSON.stringify(memory)), attempt, at, () => random)
    if (memory.outgoing === null) return { waits: seconds, memory, at }
    seconds.push((memory.outgoing.nextAt - at) / 1000)
    at = memory.outgoing.nextAt
  }
}

describe('a message that is not taken', () => {
  it.each<[string, FailedAttempt, number, readonly number[]]>([
    [
      'the longest waits',
      { code: 'unavailable', retryAfterSeconds: null },
      1,
      [5, 10, 20, 40, 80, 160, 320, 600, 600, 600, 600, 565],
    ],
    [
      'refused, which an operator must mend',
      { code: 'refused', retryAfterSeconds: null },
      1,
      [600, 600, 600, 600, 600, 600],
    ],
    [
      'a redirect',
      { code: 'redirected', retryAfterSeconds: null },
      0,
      [300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300],
    ],
    ['asked to wait', { code: 'throttled', retryAfterSeconds: 1200 }, 1, [1200, 1200, 1200]],
    ['asked to wait for long', { code: 'throttled', retryAfterSeconds: 3600 }, 1, [3600]],
  ])('is tried for an hour: %s', (_, attempt, random, expected) => {
    expect(waits(attempt, random).waits).toEqual(expected)
  })

  it('is given up then, and what is still open is told anew', () => {
    const { memory, at } = waits({ code: 'refused', retryAfterSeconds: null }, 1)
    expect(memory.record).toEqual({
      sentCount: 0,
      lostCount: 1,
      lastSentAt: null,
      failure: { code: 'refused', since: plusMs(NOW, 90_000) },
      isFailing: true,
    })

    const again = next(memory, plusMs(at, 30_000))
    expect(again.outgoing?.message.notices).toMatchObject([{ id: 'a', endsAt: null, times: 1 }])
    expect(delivered(again, at).record).toEqual({
      sentCount: 1,
      lostCount: 1,
      lastSentAt: at,
      failure: null,
      isFailing: false,
    })
  })

  it('is tried within an hour after the clock was set back', () => {
    const { memory, at } = aMessage()
    const waiting = failed(memory, { code: 'timeout', retryAfterSeconds: null }, at, () => 1)
    const earlier = plusMs(at, -5 * 3_600_000)

    expect(next(waiting, earlier).outgoing).toMatchObject({
      firstAt: earlier,
      nextAt: plusMs(earlier, 3_600_000),
    })
  })

  it('holds back those after it, and what came and went meanwhile goes as one', () => {
    const { memory, at } = aMessage()
    const waiting = failed(memory, { code: 'timeout', retryAfterSeconds: null }, at, () => 1)
    const over = [1, 62, 100].reduce((one, s) => next(one, plusMs(at, s * 1000), []), waiting)

    expect(over.outgoing?.message).toEqual(memory.outgoing?.message)
    const sent = next(delivered(over, plusMs(at, 101_000)), plusMs(at, 102_000), [])
    expect(sent.outgoing?.message.notices).toMatchObject([{ id: 'a', endsAt: plusMs(at, 1000) }])
  })
})
