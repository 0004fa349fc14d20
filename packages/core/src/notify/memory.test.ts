import { describe, expect, it } from 'vitest'
import { NOW } from '../testing/builders.ts'
import { emptyMemory, type NotifyMemory, parseMemory } from './memory.ts'

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
