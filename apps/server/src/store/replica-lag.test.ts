import type { DatabaseInspection } from '@svc/history'
import { expect, it } from 'vitest'
import { createReplicaLag } from './replica-lag.ts'

const PLACE = { replica: 'postgres://standby.example/h?sslmode=verify-full', passwordFile: '/key' }

it('a standby is looked at when the store is opened and each time that somebody asks, and nobody waits for it', async () => {
  const asked: unknown[] = []
  const answers: ((lag: number | null) => void)[] = []
  const lag = createReplicaLag(PLACE, (...how) => {
    asked.push(how)
    return new Promise((resolve, reject) => {
      answers.push((lagSeconds) =>
        lagSeconds === null ? reject(new Error()) : resolve({ lagSeconds } as DatabaseInspection),
      )
    })
  })

  expect(asked).toHaveLength(1)
  // One look at a time.
  expect([lag.seconds(), lag.seconds()]).toEqual([null, null])
  expect(asked).toEqual([[PLACE.replica, '/key']])
  answers[0]?.(7)
  await expect.poll(() => lag.seconds()).toBe(7)
  answers[1]?.(null)
  await expect.poll(() => lag.seconds()).toBeNull()
})

it('without a standby nothing is looked at', () => {
  const lag = createReplicaLag({ replica: null, passwordFile: null }, () => {
    throw new Error('nobody is to be asked')
  })

  expect([lag.seconds(), lag.seconds()]).toEqual([null, null])
})
