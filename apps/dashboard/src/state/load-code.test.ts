import { afterEach, expect, it, vi } from 'vitest'
import { dispatch } from '../testing/browser.ts'
import { loadCode } from './load-code.ts'

afterEach(() => vi.useRealTimers())

it('code is loaded again until it arrives, and every failure is reported', async () => {
  vi.useFakeTimers()
  const failed = vi.fn()
  const load = vi.fn(async () => {
    if (load.mock.calls.length <= 2) throw new Error('the network is gone')
    return 'code'
  })
  const code = loadCode(load, failed)
  await vi.advanceTimersByTimeAsync(60_000)

  expect(await code).toBe('code')
  expect([load.mock.calls.length, failed.mock.calls.length]).toEqual([3, 2])
  expect(vi.getTimerCount()).toBe(0)
})

it('a style sheet that did not come is asked for again with it', async () => {
  vi.useFakeTimers()
  const lost = document.createElement('link')
  lost.rel = 'stylesheet'
  document.head.append(lost)
  dispatch(lost, 'error')
  const load = vi.fn(async () => 'code')
  const code = loadCode(load)

  await vi.advanceTimersByTimeAsync(1_000)
  expect(lost.isConnected).toBe(false)
  expect(load).not.toHaveBeenCalled()

  dispatch(document.querySelector('link[rel=stylesheet]'), 'load')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await code).toBe('code')
})
