import { NOW } from '@svc/core/testing'
import type { DatabaseInspection } from '@svc/history'
import { expect, it } from 'vitest'
import { createForgetSlot, createReplicaLag } from './writer-thread.ts'

/** A store that takes so many milliseconds for each transaction, by its own clock. */
function storeTaking(stepMs: number, steps = Number.POSITIVE_INFINITY) {
  let nowMs = 0
  const sizes: number[] = []
  return {
    sizes,
    elapsedMs: () => nowMs,
    nowMs: () => nowMs,
    store: {
      retain(_: unknown, { rowsMax }: { readonly rowsMax: number }) {
        nowMs += stepMs
        sizes.push(rowsMax)
        return sizes.length < steps
      },
      backlogMs: () => 7,
    },
  }
}
const plan = {} as never

it('a slot of forgetting ends before a long step would pass it', async () => {
  const { store, sizes, nowMs } = storeTaking(30)

  const report = await createForgetSlot(nowMs)(store as never, plan, NOW)

  expect(sizes).toEqual([100])
  expect(report).toEqual({ more: true, backlogMs: 7 })
})

it('a slot of forgetting ends when nothing is too old any more', async () => {
  const { store, sizes, nowMs } = storeTaking(1, 3)

  expect((await createForgetSlot(nowMs)(store as never, plan, NOW)).more).toBe(false)
  expect(sizes).toEqual([100, 200, 400])
})

const PLACE = { replica: 'postgres://standby.example/h?sslmode=verify-full', passwordFile: '/key' }

it('a standby is looked at when the store is opened and each time that somebody asks, and nobody waits for it', async () => {
  const asked: unknown[] = []
  const answers: ((lag: number | null) => void)[] = []
  const lagSeconds = createReplicaLag(PLACE, (...how) => {
    asked.push(how)
    return new Promise((resolve, reject) => {
      answers.push((lag) =>
        lag === null ? reject(new Error()) : resolve({ lagSeconds: lag } as DatabaseInspection),
      )
    })
  })

  expect(asked).toHaveLength(1)
  // One look at a time.
  expect([lagSeconds(), lagSeconds()]).toEqual([null, null])
  expect(asked).toEqual([[PLACE.replica, '/key']])
  answers[0]?.(7)
  await expect.poll(lagSeconds).toBe(7)
  answers[1]?.(null)
  await expect.poll(lagSeconds).toBeNull()
})

it('without a standby nothing is looked at', () => {
  const lagSeconds = createReplicaLag({ replica: null, passwordFile: null }, () => {
    throw new Error('nobody is to be asked')
  })

  expect([lagSeconds(), lagSeconds()]).toEqual([null, null])
})
