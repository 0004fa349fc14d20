import { describe, expect, it } from 'vitest'
import type { FileUse, HistoryState } from '../facts/history-state.ts'
import type { SourceOutcome } from '../facts/source.ts'
import { aLiveObservation, fromNow, justRead, NOW } from '../testing/builders.ts'
import {
  diskRoomOf,
  failingUsageActions,
  historyActions,
  QUEUE_RETENTION_SECONDS_MIN,
  unpricedAfter,
} from './history-actions.ts'
import type { HealthSource } from './source-health.ts'

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
    ['that missed less than a minute', { ...fine, missedSeconds: 59.9 }, []],
    ['that missed a minute', { ...fine, missedSeconds: 60 }, ['usage_missed']],
    ['with a day that waits to be deleted', { ...fine, backlogSeconds: DAY_SECONDS }, []],
    ['with more than a day', { ...fine, backlogSeconds: DAY_SECONDS + 1 }, ['history_backlog']],
    ['read from a standby that is a minute behind', { ...fine, lagSeconds: 60 }, []],
    ['read from one that is further behind', { ...fine, lagSeconds: 60.1 }, ['history_lagging']],
    ['on a disk that lasts a week', { ...fine, disk: { freeBytes: 1, fullInDays: 7 } }, []],
    [
      'on a disk that lasts less',
      { ...fine, disk: { freeBytes: 1, fullInDays: 6.9 } },
      ['history_disk_filling'],
    ],
    [
      'on a disk of which little is known',
      { ...fine, disk: { freeBytes: 1, fullInDays: null } },
      [],
    ],
    [
      'with too much unpriced for less than a day',
      { ...fine, unpriced: { share: 0.5, since: fromNow(-DAY_SECONDS + 1), seenAt: NOW } },
      [],
    ],
    [
      'with too much unpriced for a day',
      { ...fine, unpriced: { share: 0.5, since: fromNow(-DAY_SECONDS), seenAt: NOW } },
      ['prices_stale'],
    ],
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

describe('unpriced usage', () => {
  it('is too much since the first of all looks in a row that find more than a tenth', () => {
    const first = unpricedAfter(null, 0.2, NOW)
    const second = unpricedAfter(first, 0.3, fromNow(3600))

    expect(second).toEqual({ share: 0.3, since: NOW, seenAt: fromNow(3600) })
    expect(unpricedAfter(second, 0.1, fromNow(7200))).toBeNull()
    expect(unpricedAfter(second, null, fromNow(7200))).toBeNull()
  })
})

const failed = (code: Extract<SourceOutcome, { kind: 'failed' }>['code']): SourceOutcome => ({
  kind: 'failed',
  code,
  at: NOW,
})
const OK: SourceOutcome = { kind: 'ok', at: NOW }

describe('usage of a proxy', () => {
  it.each([
    { enabled: true, retentionSeconds: QUEUE_RETENTION_SECONDS_MIN, codes: [] },
    {
      enabled: false,
      retentionSeconds: QUEUE_RETENTION_SECONDS_MIN,
      codes: ['usage_statistics_off'],
    },
    {
      enabled: true,
      retentionSeconds: QUEUE_RETENTION_SECONDS_MIN - 1,
      codes: ['usage_retention_short'],
    },
  ])('recorded: $enabled, kept for $retentionSeconds s: $codes', (proxy) => {
    const sources = {
      usage_statistics: justRead({ enabled: proxy.enabled }),
      usage: justRead({
        kind: 'queue',
        retentionSeconds: proxy.retentionSeconds,
        counters: null,
      } as const),
    }
    const actions = historyActions(aLiveObservation([], { history: fine, sources }))

    expect(actions.map(({ action }) => action.code)).toEqual(proxy.codes)
  })

  it.for<
    readonly [
      what: string,
      usage: SourceOutcome,
      seconds: number,
      codes: readonly string[],
      list?: SourceOutcome,
    ]
  >([
    ['fails for less than 5 min', failed('timeout'), 299, []],
    ['5 min', failed('timeout'), 300, ['usage_failing']],
    ['is held', failed('unauthorized'), 300, ['usage_failing']],
    ['not offered', failed('unsupported'), 300, ['usage_failing']],
    ['answers', OK, 900, []],
    ['is off', { kind: 'off', reason: 'standby' }, 900, []],
    ['has no store', failed('store_unavailable'), 900, []],
    ['has no clock', failed('clock_doubted'), 900, []],
    ['fails as everything of the proxy does', failed('timeout'), 900, [], failed('timeout')],
  ])('$0 for $2 s: $3', ([, usage, seconds, codes, list = OK]) => {
    const since = fromNow(-seconds)
    const sources = (['usage', 'accounts'] as const).map(
      (id): HealthSource => ({
        id,
        upstream: 'tokyo',
        tone: 'warn',
        outcome: id === 'usage' ? usage : list,
        failuresInARow: 1,
        lastGoodAt: null,
        since,
      }),
    )
    const other = sources.map((source) => ({ ...source, upstream: 'berlin', outcome: OK }))

    expect(failingUsageActions([...sources, ...other], NOW)).toEqual(
      codes.map((code) => ({ tone: 'bad', upstream: 'tokyo', action: { code, since } })),
    )
  })
})

const GB = 1e9
/** Ten days of a million requests a day, each of which takes 100 bytes, of the 90 days that are kept: 1 GB of 9. */
const growing: FileUse = {
  freeBytes: 5 * GB,
  roomBytes: 4 * GB,
  usedBytes: GB,
  requestCount: 10_000_000,
  requestsPerDay: 1_000_000,
  oldestRowAt: fromNow(-10 * DAY_SECONDS),
}
/** Requests of all kept days, at a pace that has doubled since. */
const doubled: FileUse = {
  ...growing,
  usedBytes: 9 * GB,
  requestCount: 90_000_000,
  requestsPerDay: 2_000_000,
  oldestRowAt: fromNow(-90 * DAY_SECONDS),
}
const fullIn = (use: FileUse) => diskRoomOf(use, 90, NOW).fullInDays

describe('a disk', () => {
  it.each<readonly [what: string, use: FileUse, days: number]>([
    ['at the pace of the last week', growing, 40],
    ['by what the pace has grown', doubled, 40],
    ['at once, without room', { ...growing, roomBytes: 0 }, 0],
    ['at once, below the room that is left free', { ...growing, roomBytes: -1 }, 0],
    ['never, with room for all that is kept', { ...growing, roomBytes: 8 * GB }, Infinity],
    ['a little before that', { ...growing, roomBytes: 8 * GB - 100_000_000 }, 79],
    ['never, at the same pace', { ...doubled, requestsPerDay: 1_000_000, roomBytes: 0 }, Infinity],
    ['never, at a slower pace', { ...doubled, requestsPerDay: 1_000, roomBytes: 0 }, Infinity],
    ['never, without requests', { ...doubled, requestsPerDay: 0, roomBytes: 0 }, Infinity],
  ])('is full %s', (_, use, days) => {
    expect(fullIn(use)).toBeCloseTo(days, 6)
    expect(diskRoomOf(use, 90, NOW).freeBytes).toBe(5 * GB)
  })

  it.each<readonly [what: string, use: FileUse]>([
    ['nothing is stored', { ...growing, requestCount: 0, requestsPerDay: null, oldestRowAt: null }],
    ['two days are', { ...growing, oldestRowAt: fromNow(-3 * DAY_SECONDS + 1) }],
    ['few requests are', { ...growing, requestCount: 999 }],
    ['no day has a sum', { ...growing, requestsPerDay: null }],
    ['its oldest request is of the future', { ...growing, oldestRowAt: fromNow(60) }],
  ])('is full nobody knows when where %s', (_, use) => {
    expect(fullIn(use)).toBeNull()
  })
})
