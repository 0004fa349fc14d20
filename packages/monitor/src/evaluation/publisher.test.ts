import { expect, it } from 'vitest'
import type { Compression } from '../answers/ready-answer.ts'
import { createReadDemand } from './publisher.ts'

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
