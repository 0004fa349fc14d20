import { describe, expect, it } from 'vitest'
import type { EngineName, HistoryFailureCode, HistoryState } from '../facts/history-state.ts'
import { anAccount, aSnapshot, fromNow, NOW, type ObservationChanges } from '../testing/builders.ts'
import { readinessOf, type Unready, unreadyOf } from './snapshot.ts'

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
const failing = (engine: EngineName, code: HistoryFailureCode = 'unreachable'): HistoryState => ({
  kind: 'failing',
  code,
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
    readonly [
      when: string,
      observed: ObservationChanges,
      watchedSeconds: number,
      why: Unready | null,
    ]
  >([
    ['the account list was read', {}, 0, null],
    ['nothing has answered yet', pending, 0, 'not_ready'],
    ['a first answer that takes its time', pending, 300, 'not_ready'],
    ['one failure may pass', failed('unreachable'), 29.9, 'not_ready'],
    ['its file of the history fails', { history: failing('sqlite') }, 300, null],
    [
      'its database fails, which other monitors may reach',
      { history: failing('postgres') },
      300,
      'store_unavailable',
    ],
    [
      'its database fails, and there is no key',
      { ...failed('no_key'), management: { kind: 'no_key' }, history: failing('postgres') },
      300,
      'store_unavailable',
    ],
    [
      'another process holds its file of the history',
      { history: failing('sqlite', 'locked') },
      300,
      'store_held',
    ],
    ['the proxy does not answer for 30 s', failed('unreachable'), 30, null],
    ['it answers what is no list for 30 s', failed('bad_payload'), 30, null],
    ['there is no key', { ...failed('no_key'), management: { kind: 'no_key' } }, 0, null],
    [
      'the key file cannot be used',
      { ...failed('no_key'), management: { kind: 'unreadable_key', reason: 'missing' } },
      0,
      null,
    ],
    ['the key is refused', { ...failed('unauthorized'), management: refused }, 0, null],
    [
      'this address is banned',
      { ...failed('unauthorized'), management: { kind: 'banned', until: fromNow(60) } },
      0,
      null,
    ],
  ])('is ready or not when %s', (_, observed, watchedSeconds, why) => {
    expect(
      unreadyOf(readinessOf(aSnapshot([[anAccount('a'), null]], observed)), watchedSeconds),
    ).toBe(why)
  })
})
