import { epochMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conditionFieldsAt } from './condition.ts'
import type { Condition } from './example-row.ts'
import { fiveHour, hours } from './moving-windows.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const usedUp = fiveHour({ percent: [0, 0], resetsInMinutes: hours(5, 0.1) })
const full = fiveHour({ percent: [100, 10], resetsInMinutes: hours(5, 0.1) })

const fieldsAt = (condition: Condition, atMs: number, phaseMs = 7_000) =>
  conditionFieldsAt(condition, {
    windows: [full, usedUp],
    observedAt: epochMs(atMs),
    cycleAt: epochMs(atMs),
    phaseMs,
  })

/** Runs the check with instants of a week and phases of a row. */
const atAnyTime = (check: (atMs: number, phaseMs: number) => void) =>
  fc.assert(fc.property(fc.integer({ min: NOW, max: NOW + 7 * DAY_MS }), fc.nat(DAY_MS), check), {
    numRuns: 300,
  })

describe('a condition', () => {
  it.each<{ readonly condition: Condition; readonly shown: object }>([
    { condition: 'active', shown: { upstreamStatus: 'active', unavailable: false } },
    { condition: 'spend_reached', shown: { upstreamStatus: 'active', unavailable: false } },
    { condition: 'disabled', shown: { upstreamStatus: 'disabled', operatorDisabled: true } },
    { condition: 'pending', shown: { upstreamStatus: 'pending', operatorDisabled: false } },
    // The account keeps working with its other models.
    { condition: 'degraded', shown: { upstreamStatus: 'error', unavailable: false } },
    { condition: 'cooldown', shown: { unavailable: true, message: { kind: 'quota' } } },
    { condition: 'retry_after', shown: { unavailable: true, message: { kind: 'blocked' } } },
    {
      condition: 'deactivated',
      shown: {
        message: { kind: 'auth_fault', code: 'deactivated_workspace', deactivated: true },
        nextRetryAt: null,
      },
    },
    // The proxy shows nothing; only a record of usage did.
    {
      condition: 'resting',
      shown: { upstreamStatus: 'active', message: { kind: 'none' }, verdict: { origin: 'record' } },
    },
    {
      condition: 'plan_used_up',
      shown: { unavailable: true, message: { kind: 'quota', planUsedUp: true } },
    },
    { condition: 'login_refused', shown: { message: { kind: 'auth_fault', suspected: true } } },
  ])('$condition is listed by the proxy as $shown', ({ condition, shown }) => {
    expect(fieldsAt(condition, NOW)).toMatchObject(shown)
  })

  it.each<{ readonly condition: Condition; readonly minutes: readonly [number, number] }>([
    { condition: 'degraded', minutes: [3, 23] },
    { condition: 'unavailable', minutes: [3, 48] },
    { condition: 'retry_after', minutes: [1, 25] },
    { condition: 'cooldown', minutes: [2, 12] },
    { condition: 'auth_invalid', minutes: [40, 100] },
    { condition: 'deactivated', minutes: [120, 1560] },
    { condition: 'plan_used_up', minutes: [2, 27] },
    { condition: 'login_refused', minutes: [40, 100] },
  ])('$condition has a message of $minutes minutes ago at all times', ({ condition, minutes }) => {
    atAnyTime((atMs, phaseMs) => {
      const { messageAt } = fieldsAt(condition, atMs, phaseMs)
      const age = (atMs - (messageAt ?? Number.NaN)) / MINUTE_MS

      expect(age).toBeGreaterThanOrEqual(minutes[0])
      expect(age).toBeLessThan(minutes[1])
    })
  })

  it('retry_after is retried half an hour after it was refused, always ahead', () => {
    atAnyTime((atMs, phaseMs) => {
      const { messageAt, nextRetryAt } = fieldsAt('retry_after', atMs, phaseMs)

      expect((nextRetryAt ?? 0) - (messageAt ?? 0)).toBe(30 * MINUTE_MS)
      expect(nextRetryAt).toBeGreaterThan(atMs)
    })
  })

  it('resting was refused so often, and so lately, that it still rests', () => {
    atAnyTime((atMs, phaseMs) => {
      const { verdict } = fieldsAt('resting', atMs, phaseMs)

      expect(verdict?.inARow).toBeGreaterThanOrEqual(5)
      expect(verdict?.at).toBeLessThan(atMs)
      expect(verdict?.at).toBeGreaterThan(atMs - 15 * MINUTE_MS)
    })
  })

  it('ready_unproven could be retried already, a minute after its fault', () => {
    atAnyTime((atMs, phaseMs) => {
      const { messageAt, nextRetryAt } = fieldsAt('ready_unproven', atMs, phaseMs)

      expect((nextRetryAt ?? 0) - (messageAt ?? 0)).toBe(MINUTE_MS)
      expect(nextRetryAt).toBeLessThan(atMs)
    })
  })

  it('used_up lasts from the beginning of the cycle of its empty window to the reset', () => {
    atAnyTime((atMs, phaseMs) => {
      const { message, messageAt, nextRetryAt } = fieldsAt('used_up', atMs, phaseMs)

      expect(message).toEqual({
        kind: 'usage_limit',
        resetsAt: nextRetryAt,
        observedAt: messageAt,
      })
      expect(messageAt).toBeLessThanOrEqual(atMs)
      expect(nextRetryAt).toBeGreaterThan(atMs)
    })
  })

  it('used_up is refused without a window that is empty', () => {
    const time = { windows: [full], observedAt: NOW, cycleAt: NOW, phaseMs: 0 }

    expect(() => conditionFieldsAt('used_up', time)).toThrow('needs a window at 0')
  })
})
