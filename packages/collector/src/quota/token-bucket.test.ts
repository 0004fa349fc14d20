import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTokenBucket } from './token-bucket.ts'

it('starts full and then gives one token per share of the minute', () => {
  const bucket = createTokenBucket(2, 0)

  bucket.take(bucket.nextAtMs(0))
  bucket.take(bucket.nextAtMs(0))
  expect(bucket.nextAtMs(0)).toBe(30_000)
  expect(bucket.nextAtMs(29_999)).toBeCloseTo(30_000, 3)
  expect(bucket.nextAtMs(30_000)).toBe(30_000)
})

it.each([
  { count: 0, atMs: 0 },
  { count: 1, atMs: 0 },
  { count: 2, atMs: 0 },
  { count: 3, atMs: 30_000 },
  { count: 5, atMs: 90_000 },
])('has had $count tokens of two a minute by $atMs ms', ({ count, atMs }) => {
  expect(createTokenBucket(2, 0).nextAtMs(0, count)).toBe(atMs)
})

it('saves up no more than a minute', () => {
  const bucket = createTokenBucket(3, 0)
  for (let taken = 0; taken < 3; taken += 1) bucket.take(3_600_000)

  expect(bucket.nextAtMs(3_600_000)).toBeGreaterThan(3_600_000)
})

it('never lets more through than the bucket holds plus what time has brought', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 600 }),
      fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 }),
      (perMinute, pauses) => {
        const bucket = createTokenBucket(perMinute, 0)
        let nowMs = 0
        let taken = 0
        for (const pause of pauses) {
          nowMs += pause
          if (bucket.nextAtMs(nowMs) > nowMs) continue
          bucket.take(nowMs)
          taken += 1
        }
        return taken <= perMinute + (nowMs * perMinute) / 60_000 + 1e-3
      },
    ),
  )
})
