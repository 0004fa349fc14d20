import { virtualClock } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { createReadWatch } from './read-failure.ts'

const failed = (code: string) => Promise.reject(Object.assign(new Error('no'), { code }))

it('reports readings that fail for half a minute, since when and why, until one succeeds', async () => {
  const clock = virtualClock(async () => undefined)
  const reads = createReadWatch(clock)
  const fail = (code: string) => expect(reads.watched(failed(code))).rejects.toThrow('no')
  const since = clock.now()
  await fail('SQLITE_ERROR')
  await clock.advance(29_999)
  await fail('SQLITE_ERROR')
  expect(reads.failure()).toBeNull()
  await clock.advance(1)
  expect(reads.failure()).toEqual({ since, reason: null })
  await fail('busy')
  expect(reads.failure()).toEqual({ since, reason: 'busy' })
  expect(await reads.watched(Promise.resolve(7))).toBe(7)
  expect(reads.failure()).toBeNull()
})

it('begins anew when the store was opened anew', async () => {
  const clock = virtualClock(async () => undefined)
  const reads = createReadWatch(clock)
  await expect(reads.watched(failed('busy'))).rejects.toThrow('no')
  await clock.advance(60_000)
  reads.reopened()

  expect(reads.failure()).toBeNull()
})
