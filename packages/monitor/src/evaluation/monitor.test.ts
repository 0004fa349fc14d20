import { defaultPolicy, evaluateSnapshot, type Observation, type Snapshot } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import type { RefreshState, SourceChange } from '@svc/core/service'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  evidenceOf,
  fixedClock,
  NOW,
  silentLog,
  virtualClock,
} from '@svc/core/testing'
import { createWording } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { encodeJson } from '../answers/encode-json.ts'
import { createLog } from '../log/log.ts'
import { emptyPayloads } from '../testing/encoded-payloads.ts'
import { createAlarm, createMonitor, logTransition } from './monitor.ts'
import type { IfStalled, Published } from './publisher.ts'

const STATUS = { payload: 'status', compression: 'gzip' } as const

interface Parameters {
  /** Cost of an evaluation. */
  readonly costMs: number
  readonly isAwaited: () => boolean
  readonly recordPaceMs: number
  /** First observation. */
  readonly initial: Observation
}

function watched({
  costMs = 0,
  isAwaited = () => false,
  recordPaceMs = 60_000,
  initial = oneAccount(),
}: Partial<Parameters> = {}) {
  const clock = virtualClock(async () => undefined)
  let spentMs = 0
  let observation = initial
  const published: Published[] = []
  const snapshots: Snapshot[] = []
  const ifStalled: IfStalled = {
    health: encodeJson({}),
    gauges: [],
  }
  let refresh: RefreshState = { status: 'idle' }
  const contextNow = () =>
    ({ text: createWording('UTC'), usage: { kind: 'off' }, trends: noTrends, refresh }) as const
  const monitor = createMonitor({
    observe: () => observation,
    policy: defaultPolicy,
    takeRecorded: () => ({ changes: [], remembered: null }),
    trends: () => new Map(),
    encode(snapshot, wanted) {
      spentMs += costMs
      const payloads = emptyPayloads(wanted)
      return {
        snapshot,
        payloads,
        context: contextNow(),
        ifStalled,
      }
    },
    encodeMore: (from, wanted) => ({
      ...from,
      payloads: { ...from.payloads, ...emptyPayloads(wanted) },
    }),
    refreshContext: (from) =>
      from.context.refresh === refresh ? from : { ...from, context: contextNow() },
    isAwaited,
    readPaceMs: 5_000,
    recordPaceMs,
    onSnapshot: (snapshot) => snapshots.push(snapshot),
    onPublish: (one) => published.push(one),
    clock: { ...clock, monotonicMs: () => clock.monotonicMs() + spentMs },
    log: silentLog,
  })
  const change = (next: Observation, kind?: SourceChange) => {
    observation = next
    monitor.changed(kind)
  }
  const refreshBecomes = (state: RefreshState) => {
    refresh = state
  }
  const latest = () => {
    const last = published.at(-1)
    if (last === undefined) throw new Error('nothing was published')
    return last
  }
  /** Lets time pass, with or without a reader; calls `onSecond` at the start of each second. */
  const pass = async (
    seconds: number,
    isRead: boolean,
    onSecond: (second: number) => void = () => undefined,
  ) => {
    for (let second = 0; second < seconds; second += 1) {
      if (isRead) monitor.read(STATUS)
      onSecond(second)
      await clock.advance(1_000)
    }
  }
  monitor.prepare()
  monitor.start()
  return { clock, monitor, published, snapshots, change, refreshBecomes, latest, pass }
}

const running: RefreshState = {
  status: 'running',
  target: { scope: 'default' },
  startedAt: NOW,
  expectedEndAt: NOW,
  tally: { queued: 1, done: 0, failed: 0 },
}

const oneAccount = (): Observation =>
  aLiveObservation([[anAccount('one'), evidenceOf([aQuotaSample()])]])
const twoAccounts = () =>
  aLiveObservation([
    [anAccount('one'), null],
    [anAccount('two'), null],
  ])

describe('the monitor', () => {
  it.each([
    [true, 5],
    [false, 60],
  ])(
    'evaluates regularly, because time alone changes the answer; somebody reads: %s, every %d s',
    async (isRead, seconds) => {
      const { published, pass } = watched()
      await pass(180, isRead)

      // Payloads read for the first time are made from the current snapshot.
      const times = [...new Set(published.map(({ snapshot }) => snapshot.evaluatedAt))]
      expect(times.length).toBeGreaterThan(1)
      expect(new Set(times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toEqual(
        new Set([seconds * 1_000]),
      )
    },
  )

  it('publishes a new snapshot for the first who reads after a while, and none for those who come right after', async () => {
    const { clock, monitor, published, latest, pass } = watched()
    await pass(50, false)
    monitor.read(STATUS)
    expect(latest().snapshot.evaluatedAt).toBe(clock.now())
    monitor.read(STATUS)

    expect(published).toHaveLength(2)
  })

  it('evaluates nothing for a scraper within a minute unless something has changed', async () => {
    const { monitor, published, snapshots, change, latest, pass } = watched()
    for (let scrape = 0; scrape < 3; scrape += 1) {
      await pass(15, false)
      monitor.read('gauges')
    }
    expect(snapshots).toHaveLength(1)
    change(twoAccounts())
    await pass(1, false)
    expect(latest().snapshot.accounts).toHaveLength(2)
    expect([published.length, snapshots.length]).toEqual([2, 2])
    await pass(59, false)
    monitor.read('gauges')

    expect(snapshots).toHaveLength(3)
  })

  it('evaluates a change at once when nobody reads, and publishes it with the next regular snapshot or for the next reader', async () => {
    for (const isReadNow of [true, false]) {
      const { monitor, published, snapshots, change, latest, pass } = watched()
      await pass(10, false)
      change(twoAccounts())
      await pass(1, false)
      expect([published.length, snapshots.length]).toEqual([1, 2])
      if (isReadNow) monitor.read(STATUS)
      else await pass(50, false)

      expect(latest().snapshot.accounts).toHaveLength(2)
    }
  })

  it('publishes every change until it is ready', async () => {
    const accounts = { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null } as const
    const { published, change, pass, latest } = watched({
      initial: aLiveObservation([], { sources: { accounts } }),
    })
    expect(latest().snapshot.available).toBe(false)
    change(twoAccounts())
    await pass(1, false)

    expect(latest().snapshot.available).toBe(true)
    const count = published.length
    change(twoAccounts())
    await pass(1, false)
    expect(published).toHaveLength(count)
  })

  it('does not evaluate what was only read again, until a window is reset', async () => {
    const { clock, snapshots, change, pass } = watched()
    const resetSoon = aLiveObservation([
      [anAccount('one'), evidenceOf([aQuotaSample({ fiveHourResetsInSeconds: 30 })])],
    ])
    change(resetSoon)
    await pass(1, false)
    const before = snapshots.length
    await pass(28, false, () => change(resetSoon, 'times'))
    expect(snapshots).toHaveLength(before)
    await clock.advance(2_000)
    change(resetSoon, 'times')
    await clock.advance(1_000)

    expect(snapshots).toHaveLength(before + 1)
  })

  it.each([
    { who: 'somebody follows', asked: 'events', costMs: 0, isAtOnce: true },
    {
      who: 'somebody follows what is dear to evaluate',
      asked: 'events',
      costMs: 60,
      isAtOnce: false,
    },
    { who: 'only a script reads', asked: null, costMs: 0, isAtOnce: false },
  ] as const)(
    'evaluates the return of an account within a second while $who: $isAtOnce',
    async (row) => {
      const { asked, costMs, isAtOnce } = row
      const exhausted = aQuotaSample({ fiveHour: 0, fiveHourResetsInSeconds: 607 })
      const initial = aLiveObservation([[anAccount('one'), evidenceOf([exhausted])]])
      const { clock, monitor, snapshots, pass } = watched({ costMs, initial })
      const isRoutable = () => snapshots.some(({ routableCount }) => routableCount > 0)
      await pass(607, false, (second) => {
        if (second % 5 === 0) monitor.read(asked)
      })
      expect(isRoutable()).toBe(false)
      await clock.advance(1_000)
      expect(isRoutable()).toBe(isAtOnce)
      await clock.advance(4_000)
      expect(isRoutable()).toBe(true)
    },
  )

  it('shows an awaited change within a second, even when evaluations are slow; other changes come later', async () => {
    for (const isAwaited of [true, false]) {
      const { clock, monitor, snapshots, change } = watched({
        costMs: 300,
        isAwaited: () => isAwaited,
      })
      // Uses up the credit of the budget.
      for (let round = 0; round < 4; round += 1) {
        monitor.read(STATUS)
        change(twoAccounts())
        await clock.advance(1_500)
      }
      const before = snapshots.length
      change(twoAccounts())
      await clock.advance(1_100)
      expect([isAwaited, snapshots.length > before]).toEqual([isAwaited, isAwaited])
    }
  })

  it('keeps the pace of the account list while somebody reads, even when evaluations are slow', async () => {
    const { snapshots, change, pass } = watched({ costMs: 300 })
    const snapshotsIn = async (seconds: number, isRead: boolean) => {
      const before = snapshots.length
      await pass(seconds, isRead, (second) =>
        second % 5 === 0 ? change(twoAccounts()) : undefined,
      )
      return snapshots.length - before
    }
    // Uses up the credit of the budget.
    await snapshotsIn(30, true)

    expect(await snapshotsIn(60, true)).toBeGreaterThanOrEqual(10)
  })

  it('spends little on evaluations while nobody reads, however much changes', async () => {
    const { snapshots, change, pass, published } = watched({ costMs: 300 })
    await pass(60, false, () => change(twoAccounts()))
    const [evaluated, shown] = [snapshots.length, published.length]
    await pass(600, false, () => change(twoAccounts()))

    expect(published.length - shown).toBeLessThanOrEqual(11)
    expect(snapshots.length - evaluated).toBeGreaterThan(published.length - shown)
  })

  it('shows what is new besides the snapshot at once and without a new snapshot', () => {
    const { monitor, published, snapshots, refreshBecomes, latest } = watched()
    monitor.read(STATUS)
    const [before, evaluated] = [published.length, snapshots.length]
    refreshBecomes(running)

    monitor.republish()

    expect(latest().context.refresh).toBe(running)
    expect([published.length - before, snapshots.length]).toEqual([1, evaluated])
    monitor.republish()
    expect(published).toHaveLength(before + 1)
  })

  it('shows what is new besides the snapshot to the next who reads, when nobody does', async () => {
    const { monitor, published, refreshBecomes, latest, pass } = watched()
    await pass(5, false)
    refreshBecomes(running)
    monitor.republish()
    expect(published).toHaveLength(1)
    monitor.read(STATUS)

    expect(latest().context.refresh).toBe(running)
  })

  it('takes changes in quick succession together', async () => {
    const { clock, snapshots, change } = watched()
    await clock.advance(1_000)

    for (let i = 0; i < 100; i += 1) {
      change(twoAccounts())
      await clock.advance(10)
    }

    expect(snapshots.length).toBeLessThanOrEqual(7)
  })

  it('evaluates as often as the history records the pool, with or without a reader', async () => {
    const { published, snapshots, pass } = watched({ recordPaceMs: 15_000 })
    await pass(180, false)

    expect([snapshots.length, published.length]).toEqual([13, 4])
  })

  it('goes on after an evaluation that failed, and gives up after three', async () => {
    const { clock, snapshots, change } = watched()
    const broken = null as unknown as Observation
    change(broken)
    await clock.advance(6_000)
    change(twoAccounts())
    await clock.advance(1_000)
    expect(snapshots.at(-1)?.accounts).toHaveLength(2)

    change(broken)
    await clock.advance(9_000)
    await expect(clock.advance(10_000)).rejects.toThrow(TypeError)
  })

  it('evaluates no more once it is stopped', async () => {
    const { clock, monitor, snapshots, change } = watched()
    monitor.stop()
    change(twoAccounts())
    monitor.read(STATUS)
    await clock.advance(60_000)

    expect(snapshots).toHaveLength(1)
    expect(clock.scheduledCount).toBe(0)
  })

  it('makes what is read for the first time of the snapshot that is shown', () => {
    const { monitor, published, snapshots, latest } = watched()
    monitor.read(STATUS)
    const [shown, evaluated] = [published.length, snapshots.length]
    monitor.read({ payload: 'stats', compression: 'br' })
    expect(latest().payloads).toMatchObject({
      status: { compression: 'gzip' },
      stats: { compression: 'br' },
    })
    expect([published.length - shown, snapshots.length]).toEqual([1, evaluated])
    monitor.read({ payload: 'stats', compression: 'none' })
    monitor.read(null)

    expect(published).toHaveLength(shown + 1)
    monitor.read({ payload: 'stats', compression: 'gzip' })
    expect(latest().payloads).toMatchObject({ stats: { compression: 'both' } })
  })
})

function anAlarm() {
  const clock = virtualClock(async () => undefined)
  const startMs = clock.monotonicMs()
  const rangAtMs: number[] = []
  const alarm = createAlarm(clock, () => rangAtMs.push(clock.monotonicMs() - startMs))
  return { ...alarm, in: (ms: number) => alarm.setBefore(startMs + ms), clock, rangAtMs }
}

describe('an alarm', () => {
  it('can be set again once it has rung, or when it rings', async () => {
    const clock = virtualClock(async () => undefined)
    const startMs = clock.monotonicMs()
    let count = 0
    const alarm = createAlarm(clock, () => {
      count += 1
      if (count < 3) alarm.setBefore(clock.monotonicMs() + 1_000)
    })
    alarm.setBefore(startMs + 1_000)
    await clock.advance(10_000)

    expect(count).toBe(3)
  })

  it('does not ring once it is cancelled, until it is set again', async () => {
    const { in: inMs, cancel, clock, rangAtMs } = anAlarm()
    inMs(1_000)
    cancel()
    await clock.advance(2_000)
    expect(rangAtMs).toEqual([])

    inMs(5_000)
    await clock.advance(10_000)
    expect(rangAtMs).toEqual([5_000])
  })
})

const snapshotOf = (observation: Observation) =>
  evaluateSnapshot(observation, defaultPolicy, NOW, { previous: null, recordedChanges: [] })
const blocked = (name: string) => anAccount(name, { operatorDisabled: true })
const loggedOut = (name: string) =>
  anAccount(name, {
    message: { kind: 'auth_fault', code: 'unauthorized', deactivated: false },
    messageAt: NOW,
  })
const good = aLiveObservation([[anAccount('one'), null]])
const broken = aLiveObservation([[anAccount('one'), null]], {
  sources: {
    gateway: {
      outcome: { kind: 'failed', code: 'timeout', at: NOW },
      failuresInARow: 1,
      lastGood: null,
    },
  },
})
const withOneBad = aLiveObservation([
  [anAccount('one'), null],
  [loggedOut('two'), null],
])
const withNoneLeft = aLiveObservation([
  [blocked('one'), null],
  [loggedOut('two'), null],
])
const unread = aLiveObservation([], {
  sources: { accounts: { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null } },
})

function linesOf(
  previous: Observation | null,
  next: Observation,
  format: 'text' | 'json' = 'text',
): readonly string[] {
  const lines: string[] = []
  const log = createLog({
    level: 'info',
    format,
    write: (line) => lines.push(line.trimEnd()),
    clock: fixedClock(),
  })
  logTransition(log, previous === null ? null : snapshotOf(previous), snapshotOf(next))
  return format === 'json' ? lines : lines.map((line) => line.replace(/^\S+ /, ''))
}

describe('the log of snapshots', () => {
  it('has a line for the first one', () => {
    expect(linesOf(null, good)).toEqual([
      'info  snapshot source=live health=good accounts=1 routable=1 failing="" actions=""',
    ])
  })

  it('explains a change: which source fails, and what must be acted on', () => {
    expect(linesOf(good, broken)).toEqual([
      'info  snapshot source=partial health=warn accounts=1 routable=1 failing="gateway: timeout" actions=snapshot_partial',
      'warn  action opened code=snapshot_partial tone=warn count=1',
    ])
  })

  it('is silent while nothing changes', () => {
    expect(linesOf(broken, broken)).toEqual([])
  })

  it('has a line for an action that opens while health was bad before, and for the last routable account', () => {
    expect(linesOf(withOneBad, withNoneLeft)).toEqual([
      'warn  action opened code=nothing_routable tone=bad count=1',
      'warn  no account can take work routable=0 blocked=2',
    ])
  })

  it('has a line when that is over', () => {
    expect(linesOf(withNoneLeft, withOneBad)).toEqual([
      'info  action resolved code=nothing_routable tone=bad count=1',
      'info  accounts can take work again routable=1 blocked=1',
    ])
  })

  it('logs a pool that can take no work from the start, but not one that was never read', () => {
    expect(linesOf(null, withNoneLeft)).toContain(
      'warn  no account can take work routable=0 blocked=2',
    )
    expect(linesOf(unread, withNoneLeft)).toContain(
      'warn  no account can take work routable=0 blocked=2',
    )
    expect(linesOf(unread, good).join()).not.toContain('take work')
    expect(linesOf(null, unread).join()).not.toContain('take work')
  })

  it('has a line for entries of the account list that are left out, and none while they stay so', () => {
    const lines: string[] = []
    const write = (line: string) => lines.push(line)
    const log = createLog({ level: 'info', format: 'text', write, clock: fixedClock() })
    const whole = snapshotOf(good)
    const less: Snapshot = { ...whole, skipped: [{ position: 2, reason: 'not_an_object' }] }
    logTransition(log, whole, less)
    logTransition(log, less, less)

    expect(lines.filter((line) => line.includes('left out'))).toEqual([
      expect.stringMatching(/warn {2}entries .* left out count=1 reasons=not_an_object\n$/),
    ])
  })
})
