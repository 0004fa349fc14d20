import { describe, expect, it } from 'vitest'
import { type Audience, createEvaluationBudget } from './monitor.ts'

const START = 10_000
const unread: Audience = { isAwaited: false, readPaceMs: null }

/** The pause after the first evaluation of a process, which took `costMs`. */
function pauseAfter(costMs: number, audience: Audience = unread): number {
  const budget = createEvaluationBudget(START)
  budget.spend(START, START + costMs)
  return budget.nextAtMs(audience) - (START + costMs)
}

describe('the processor time for evaluations', () => {
  it.each([
    { of: 'a cheap one', costMs: 5, pauseMs: 250 },
    { of: 'one that uses up the credit', costMs: 500, pauseMs: 250 },
    { of: 'one that goes 1 ms beyond the credit', costMs: 501, pauseMs: 800 },
    { of: 'one that goes 10 ms beyond the credit', costMs: 510, pauseMs: 8_000 },
    { of: 'a very dear one', costMs: 5_000, pauseMs: 60_000 },
  ])('makes a pause of $pauseMs ms after $of', ({ costMs, pauseMs }) => {
    expect(pauseAfter(costMs)).toBe(pauseMs)
  })

  it.each([
    {
      who: 'somebody waits for the next change',
      isAwaited: true,
      readPaceMs: null,
      pauseMs: 1_000,
    },
    { who: 'somebody reads every 5 s', isAwaited: false, readPaceMs: 5_000, pauseMs: 5_000 },
    { who: 'a reader waits', isAwaited: true, readPaceMs: 5_000, pauseMs: 1_000 },
  ])('makes no longer pause than $pauseMs ms where $who', ({ pauseMs, ...audience }) => {
    expect(pauseAfter(5_000, audience)).toBe(pauseMs)
  })

  it('comes to one part in 800 of the time where every evaluation costs more than was saved', () => {
    const costMs = 40
    const budget = createEvaluationBudget(0)
    let nowMs = 0
    let spentMs = 0
    while (nowMs < 3600_000 * 10) {
      budget.spend(nowMs, nowMs + costMs)
      spentMs += costMs
      nowMs = budget.nextAtMs(unread)
    }

    expect(spentMs / nowMs).toBeGreaterThan(1 / 810)
    expect(spentMs / nowMs).toBeLessThan(1 / 790)
  })

  it('saves no more than half a second, however long nothing was evaluated', () => {
    const budget = createEvaluationBudget(0)
    const startedMs = 24 * 3600_000
    budget.spend(startedMs, startedMs + 600)

    expect(budget.nextAtMs(unread)).toBe(startedMs + 600 + 60_000)
  })
})
