import { describe, expect, it } from 'vitest'
import { plusMs } from '../facts/time.ts'
import { fixedClock, NOW, virtualClock } from './builders.ts'

const settled = () => Promise.resolve()

describe('a virtual clock', () => {
  it('stands still until it is told to move', async () => {
    const clock = virtualClock(settled)
    expect([clock.now(), clock.monotonicMs()]).toEqual([NOW, 0])

    await clock.advance(1500)

    expect([clock.now(), clock.monotonicMs()]).toEqual([plusMs(NOW, 1500), 1500])
  })

  it('runs every task that falls due, each at its time and in their order', async () => {
    const clock = virtualClock(settled)
    const ran: string[] = []
    const note = (name: string) => () => void ran.push(`${name}@${clock.monotonicMs()}`)
    clock.schedule(30, note('late'))
    clock.schedule(10, note('first'))
    clock.schedule(10, note('second'))
    clock.schedule(-5, note('at once'))
    clock.schedule(31, note('not yet'))

    await clock.advance(30)

    expect(ran).toEqual(['at once@0', 'first@10', 'second@10', 'late@30'])
    expect(clock.scheduledCount).toBe(1)
  })

  it('runs what a task schedules, when it falls due in time', async () => {
    const clock = virtualClock(settled)
    const ran: number[] = []
    const everyTen = (): void => {
      ran.push(clock.monotonicMs())
      clock.schedule(10, everyTen)
    }
    clock.schedule(10, everyTen)

    await clock.advance(35)

    expect(ran).toEqual([10, 20, 30])
  })

  it('never runs a cancelled task', async () => {
    const clock = virtualClock(settled)
    let ran = false
    const cancel = clock.schedule(10, () => {
      ran = true
    })
    cancel()
    cancel()

    await clock.advance(20)

    expect([ran, clock.scheduledCount]).toEqual([false, 0])
  })

  it('lets pending work finish between two tasks', async () => {
    const steps: string[] = []
    const clock = virtualClock(() => new Promise((resolve) => setImmediate(resolve)))
    clock.schedule(1, () => void Promise.resolve().then(() => steps.push('answer of the first')))
    clock.schedule(2, () => void steps.push('second'))

    await clock.advance(5)

    expect(steps).toEqual(['answer of the first', 'second'])
  })

  it('moves the wall alone when the wall jumps, and runs nothing early', async () => {
    const clock = virtualClock(settled)
    let ran = false
    clock.schedule(1000, () => {
      ran = true
    })

    clock.jumpWallClock(3_600_000)
    await clock.advance(999)

    expect([ran, clock.monotonicMs(), clock.now()]).toEqual([false, 999, plusMs(NOW, 3_600_999)])
  })
})

it('a fixed clock runs nothing and never moves', () => {
  const clock = fixedClock()
  const cancel = clock.schedule(0, () => {
    throw new Error('it ran')
  })
  cancel()

  expect([clock.now(), clock.now()]).toEqual([NOW, NOW])
})
