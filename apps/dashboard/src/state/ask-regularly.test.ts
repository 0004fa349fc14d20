import { afterEach, describe, expect, it, vi } from 'vitest'
import { askAllNow, askRegularly, fetchAnswer, Refused } from './ask-regularly.ts'

const EVERY_MS = 3_600_000

describe('asking regularly', () => {
  it('asks at once, and again whenever somebody wants everything now, until it is ended', () => {
    const asked: string[] = []
    const stops: AbortSignal[] = []
    const endOne = askRegularly(async (stop) => {
      asked.push('one')
      stops.push(stop)
    }, EVERY_MS)
    const endOther = askRegularly(async () => void asked.push('other'), EVERY_MS)
    askAllNow()
    expect(asked).toEqual(['one', 'other', 'one', 'other'])

    endOne()
    askAllNow()
    endOther()
    askAllNow()
    expect(asked).toEqual(['one', 'other', 'one', 'other', 'other'])
    expect(stops.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  describe('after a failure', () => {
    afterEach(() => vi.useRealTimers())

    it('asks again after 2, 4, 8 s, and as before once it is answered', async () => {
      vi.useFakeTimers()
      let second = 0
      const asked: number[] = []
      const failed: unknown[] = []
      const end = askRegularly(
        async () => {
          asked.push(second)
          if (asked.length <= 3) throw new Error(`${asked.length}`)
        },
        60_000,
        (error) => failed.push(error),
      )
      for (second = 1; second <= 120; second += 1) await vi.advanceTimersByTimeAsync(1_000)
      end()

      expect(asked).toEqual([0, 2, 6, 14, 60, 120])
      expect(failed.map(String)).toEqual(['Error: 1', 'Error: 2', 'Error: 3'])
    })

    it.each([400, 422])('waits for its regular turn if it is refused with %i', async (status) => {
      vi.useFakeTimers()
      const refusal = { status: 'invalid_span' }
      const answer = vi.fn(async () => Response.json(refusal, { status }))
      vi.stubGlobal('fetch', answer)
      const failed: unknown[] = []
      const end = askRegularly(
        (stop) => fetchAnswer('/path', stop),
        30_000,
        (error) => failed.push(error instanceof Refused && error.refusal),
      )
      await vi.advanceTimersByTimeAsync(29_000)
      expect(answer).toHaveBeenCalledTimes(1)

      await vi.advanceTimersByTimeAsync(2_000)
      end()
      vi.unstubAllGlobals()
      expect(failed).toEqual([refusal, refusal])
    })

    it('never asks more often than regularly, nor once it is ended', async () => {
      vi.useFakeTimers()
      let asked = 0
      const end = askRegularly(async () => {
        asked += 1
        throw new Error('silent')
      }, 1_000)
      await vi.advanceTimersByTimeAsync(4_500)
      end()
      await vi.advanceTimersByTimeAsync(60_000)

      expect(asked).toBe(5)
    })
  })
})
