import { instantToIso } from '@svc/core'
import { describe, expect, it, vi } from 'vitest'
import { cli } from '../testing/run-for-test.ts'
import { clockOf, systemClock, takeStartInstant } from './clock.ts'

it('never waits for less than no time, of which Node 24 warns', () => {
  const timer = vi.spyOn(globalThis, 'setTimeout')
  systemClock.schedule(-0.01, () => undefined)()

  expect(timer.mock.calls.map(([, delayMs]) => delayMs)).toEqual([0])
  timer.mockRestore()
})

describe('a start at a given instant', () => {
  it('sets the clock, which goes on from there, and leaves the rest of the command line as it was', () => {
    const { argv, startInstant } = takeStartInstant([
      '--demo',
      '--start-instant=2028-02-29T23:59:59Z',
      '--port',
      '4516',
    ])
    const clock = clockOf(startInstant)
    const first = clock.now()

    expect(argv).toEqual(['--demo', '--port', '4516'])
    expect(instantToIso(first).slice(0, 18)).toMatch(/^2028-02-29T23:59:5|^2028-03-01T00:00:0/)
    expect(clock.now()).toBeGreaterThanOrEqual(first)
  })

  it.each([['--start-instant=noon'], ['--start-instant'], ['--start-instant=2026-03-10T12:00:00']])(
    'is not taken from %s',
    async (flag) => {
      expect(takeStartInstant([flag])).toEqual({ argv: [flag], startInstant: null })
      expect((await cli([flag])).code).toBe(2)
    },
  )

  it('is in no help', async () => {
    expect((await cli(['--help'])).stdout).not.toContain('instant')
  })
})
