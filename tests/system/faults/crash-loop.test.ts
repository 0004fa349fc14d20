import { expect, it } from 'vitest'
import { runCrashLoop } from '../../../tooling/faults/crash-loop.ts'

it('killed at any moment, the store holds all that was told, once, and adds up', async ({
  task,
}) => {
  const { violations, rounds, byEnding, handedOut, acknowledged, stored, lost } =
    await runCrashLoop({ rounds: 40, seed: 20_261_121 })

  expect(violations).toEqual([])
  expect(stored).toBe(handedOut - lost)
  expect(acknowledged).toBeGreaterThan(handedOut / 10)
  task.meta.observed = `${rounds} rounds (${Object.entries(byEnding)
    .map(([ending, times]) => `${times} × ${ending}`)
    .join(', ')}): ${acknowledged} told of, ${stored} stored, ${lost} lost on their way`
})
