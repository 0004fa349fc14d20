import { describe, expect, it } from 'vitest'
import { createSingleFlight } from './single-flight.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Attempts that are numbered in the order they begin, and end when they are told to. */
function someAttempts() {
  const open: { readonly end: () => void; readonly fail: () => void }[] = []
  let begun = 0
  const flight = createSingleFlight(() => {
    begun += 1
    const number = begun
    return new Promise<number>((resolve, reject) => {
      open.push({ end: () => resolve(number), fail: () => reject(new Error(`no ${number}`)) })
    })
  })
  return { flight, begunCount: () => begun, end: () => open.shift()?.end(), open }
}

describe('one attempt at a time', () => {
  it('is begun at once, and shared by all that ask meanwhile', async () => {
    const { flight, begunCount, end } = someAttempts()
    const results = [flight.run(), flight.run()]
    expect(begunCount()).toBe(1)
    end()

    expect(await Promise.all(results)).toEqual([1, 1])
    void flight.run()
    expect(begunCount()).toBe(2)
  })

  it('that is asked for afresh follows the one under way, once for all that ask', async () => {
    const { flight, begunCount, end } = someAttempts()
    const first = flight.run()
    const afresh = [flight.runAfresh(), flight.runAfresh()]
    await turn()
    expect(begunCount()).toBe(1)
    end()
    expect(await first).toBe(1)
    await turn()
    expect(begunCount()).toBe(2)
    end()

    expect(await Promise.all(afresh)).toEqual([2, 2])
  })

  it('that is asked for afresh begins right away where none is under way', async () => {
    const { flight, end } = someAttempts()
    const afresh = flight.runAfresh()
    await turn()
    end()

    expect(await afresh).toBe(1)
  })

  it('that fails makes room for the next', async () => {
    const { flight, open, end } = someAttempts()
    const failed = flight.run()
    open.shift()?.fail()
    await expect(failed).rejects.toThrow('no 1')
    const next = flight.run()
    end()

    expect(await next).toBe(2)
  })

  it('has settled when the attempt under way has ended', async () => {
    const { flight, end } = someAttempts()
    await flight.settled()
    void flight.run()
    let isSettled = false
    const settled = flight.settled().then(() => {
      isSettled = true
    })
    await turn()
    expect(isSettled).toBe(false)
    end()
    await settled

    expect(isSettled).toBe(true)
  })
})
