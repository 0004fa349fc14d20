import { fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { emptySample } from '../../testing/vendor-answers.ts'
import { windowsFromHeaders } from './headers.ts'

const primary = (changes: Readonly<Record<string, unknown>> = {}) => ({
  'x-codex-primary-used-percent': '12.5',
  'x-codex-primary-window-minutes': '300',
  ...changes,
})
const windowsOf = (headers: unknown) => windowsFromHeaders(headers, NOW)?.windows ?? null

describe('the quota headers of an answer', () => {
  it('name windows by their length, whatever slot they stand in', () => {
    expect(
      windowsFromHeaders(
        {
          'X-Codex-Primary-Used-Percent': ['40'],
          'X-Codex-Primary-Window-Minutes': ['10080'],
          'x-codex-secondary-used-percent': '10',
          'x-codex-secondary-window-minutes': '300',
          'x-codex-plan-type': 'plus',
          'set-cookie': 'canary',
        },
        NOW,
      ),
    ).toEqual({
      ...emptySample,
      origin: 'headers',
      plan: 'plus',
      windows: [
        { id: 'week', periodSeconds: 604_800, percent: 60, resetAt: null },
        { id: '5h', periodSeconds: 18_000, percent: 90, resetAt: null },
      ],
    })
  })

  it.each([
    { why: 'none', headers: {} },
    { why: 'a percent alone', headers: { 'x-codex-primary-used-percent': '10' } },
    { why: 'a length alone', headers: { 'x-codex-primary-window-minutes': '300' } },
    { why: 'a length of 0', headers: primary({ 'x-codex-primary-window-minutes': '0' }) },
    { why: 'a length of years', headers: primary({ 'x-codex-primary-window-minutes': '576001' }) },
    { why: 'a percent below 0', headers: primary({ 'x-codex-primary-used-percent': '-5' }) },
    { why: 'a percent that is none', headers: primary({ 'x-codex-primary-used-percent': 'x' }) },
    { why: 'a third slot', headers: { 'x-codex-tertiary-used-percent': '1' } },
  ])('with $why show nothing', ({ headers }) => {
    expect(windowsFromHeaders(headers, NOW)).toBeNull()
  })

  it.each<{ why: string; reset: Readonly<Record<string, unknown>>; inSeconds?: number | null }>([
    { why: 'after seconds', reset: { 'reset-after-seconds': '120' }, inSeconds: 120 },
    { why: 'at once', reset: { 'reset-after-seconds': '0' }, inSeconds: 0 },
    { why: 'at an instant', reset: { 'reset-at': String(fromNow(90) / 1000) }, inSeconds: 90 },
    {
      why: 'the instant wins',
      reset: { 'reset-at': String(fromNow(90) / 1000), 'reset-after-seconds': '120' },
      inSeconds: 90,
    },
    { why: 'longer than the window is', reset: { 'reset-after-seconds': '18001' } },
    { why: 'in the past', reset: { 'reset-after-seconds': '-1' } },
    { why: 'never', reset: {} },
  ])('say when a window starts again: $why', ({ reset, inSeconds = null }) => {
    const named = Object.entries(reset).map(([name, value]) => [`x-codex-primary-${name}`, value])

    expect(windowsOf(primary(Object.fromEntries(named)))?.[0]?.resetAt).toBe(
      inSeconds === null ? null : fromNow(inSeconds),
    )
  })

  it('of an endless list are looked at up to the two hundredth', () => {
    const filler = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, '1']))

    expect(windowsOf({ ...filler, ...primary() })).toBeNull()
    expect(windowsOf({ ...primary(), ...filler })).toHaveLength(1)
  })
})
