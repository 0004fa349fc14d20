import { describe, expect, it } from 'vitest'
import type { EngineName, HistoryState } from '../facts/history-state.ts'
import { anAccount, aSnapshot, fromNow, NOW, type ObservationChanges } from '../testing/builders.ts'
import { isReady, readinessOf } from './readiness.ts'

const failed = (
  code: 'unreachable' | 'no_key' | 'unauthorized' | 'bad_payload',
): ObservationChanges => ({
  sources: {
    accounts: { outcome: { kind: 'failed', code, at: NOW }, failuresInARow: 1, lastGood: null },
  },
})
const pending: ObservationChanges = {
  sources: { accounts: { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null } },
}
const failing = (engine: EngineName): HistoryState => ({
  kind: 'failing',
  code: 'unreachable',
  since: NOW,
  engine,
})
const refused = {
  kind: 'refused',
  at: NOW,
  nextAttemptAt: fromNow(9_000),
  failure: 'unauthorized',
} as const

describe('the service', () => {
  it.each<
    readonly [why: string, observed: ObservationChanges, watchedSeconds: number, ready: boolean]
  >([
    ['the account list was read', {}, 0, true],
    ['nothing has answered yet', pending, 0, false],
    ['a first answer that takes its time', pending, 300, false],
    ['one failure may pass', failed('unreachable'), 29.9, false],
    ['its file of the history fails', { history: failing('sqlite') }, 300, true],
    [
      'its database fails, which other monitors may reach',
      { history: failing('postgres') },
      300,
      false,
    ],
    [
      'its database fails, and there is no key',
      { ...failed('no_key'), management: { kind: 'no_key' }, history: failing('postgres') },
      300,
      false,
    ],
    ['the proxy does not answer for 30 s', failed('unreachable'), 30, true],
    ['it answers what is no list for 30 s', failed('bad_payload'), 30, true],
    ['there is no key', { ...failed('no_key'), management: { kind: 'no_key' } }, 0, true],
    [
      'the key file cannot be used',
      { ...failed('no_key'), management: { kind: 'unreadable_key', reason: 'missing' } },
      0,
      true,
    ],
    ['the key is refused', { ...failed('unauthorized'), management: refused }, 0, true],
    [
      'this address is banned',
      { ...failed('unauthorized'), management: { kind: 'banned', until: fromNow(60) } },
      0,
      true,
    ],
  ])('is ready or not when %s', (_, observed, watchedSeconds, ready) => {
    expect(
      isReady(readinessOf(aSnapshot([[anAccount('a'), null]], observed)), watchedSeconds),
    ).toBe(ready)
  })
})
