import { describe, expect, it } from 'vitest'
import type { HistoryState } from '../facts/history-state.ts'
import { aLiveObservation, NOW } from '../testing/builders.ts'
import { historyActions } from './history-actions.ts'

const DAY_SECONDS = 86_400
const WAL_BYTES = 64 * 1024 * 1024
const fine: Extract<HistoryState, { readonly kind: 'ok' }> = {
  kind: 'ok',
  at: NOW,
  missedSeconds: 0,
  backlogSeconds: null,
  lagSeconds: 0,
  isStandby: false,
  readFailure: null,
  engine: { name: 'sqlite', walBytes: 0 },
}
const codesOf = (history: HistoryState) =>
  historyActions(aLiveObservation([], { history })).map(({ action }) => action.code)

describe('the history', () => {
  it.each<[string, HistoryState, readonly string[]]>([
    ['that is fine asks for nothing', fine, []],
    [
      'with a log as large as it may be',
      { ...fine, engine: { name: 'sqlite', walBytes: WAL_BYTES } },
      [],
    ],
    [
      'with a larger log',
      { ...fine, engine: { name: 'sqlite', walBytes: WAL_BYTES + 1 } },
      ['history_wal_large'],
    ],
    ['that missed less than a second', { ...fine, missedSeconds: 0.9 }, []],
    ['that missed a second', { ...fine, missedSeconds: 1 }, ['usage_missed']],
    ['with a day that waits to be deleted', { ...fine, backlogSeconds: DAY_SECONDS }, []],
    ['with more than a day', { ...fine, backlogSeconds: DAY_SECONDS + 1 }, ['history_backlog']],
    ['read from a standby that is a minute behind', { ...fine, lagSeconds: 60 }, []],
    ['read from one that is further behind', { ...fine, lagSeconds: 60.1 }, ['history_lagging']],
    [
      'that cannot be read',
      { ...fine, readFailure: { since: NOW, reason: null } },
      ['history_unreadable'],
    ],
    [
      'that fails',
      { kind: 'failing', code: 'disk_full', since: NOW, engine: 'sqlite' },
      ['history_failing'],
    ],
  ])('%s', (_what, history, codes) => {
    expect(codesOf(history)).toEqual(codes)
  })
})
