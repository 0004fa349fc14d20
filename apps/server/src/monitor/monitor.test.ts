import { defaultPolicy, noTrends, type Observation, type RefreshState, type Snapshot, type SnapshotSource } from '@svc/core'
import { aLiveObservation, anAccount, aQuotaSample, evidenceOf, NOW, silentLog, virtualClock } from '@svc/core/testing'
import { createWireText } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { encodeJson } from './encode-json.ts'
import { createMonitor, type Published } from './monitor.ts'

async function settle() {
  for (let round = 0; round < 4; round += 1) await new Promise((resolve) => setImmediate(resolve))
}

async function watched(encodeMs = 0, isAwaited: () => boolean = () => false) {
  const clock = virtualClock(settle)
  let observation: Observation = aLiveObservation([[anAccount('one'), evidenceOf([aQuotaSample()])]])
  let announce = () => {}
  let stopped = false
  const source: SnapshotSource = {
    start(onChange) {
      announce = onChange
    },
    latest: () => observation,
    async stop() {
      stopped = true
    },
  }
  const published: Published[] = []
  const snapshots: Snapshot[] = []
  const payload = await encodeJson({})
  const payloads = { status: payload, recommendations: payload, health: payload, stats: payload }
  let refresh: RefreshState = { status: 'idle' }
  const contextNow = () => ({ text: createWireText('UTC'), usage: { kind: 'off' }, trends: noTrends, refresh }) as const
  const monitor = createMonitor({
    source,
    policy: defaultPolicy,
    takeRecorded: () => ({ changes: [], remembered: null }),
    async encode(snapshot) {
      const context = contextNow()
      if (encodeMs > 0) await new Promise<void>((resolve) => void clock.schedule(encodeMs, resolve))
      return { snapshot, payloads, context }
    },
    async amend(from) {
      return from.context.refresh === refresh ? from : { ...from, context: contextNow() }
    },
    isAwaited,
    readPaceMs: 5_000,
    onSnapshot: (snapshot) => snapshots.push(snapshot),
    onPublish: (one) => published.push(one),
    clock,
    log: silentLog,
  })
  const change = (next: Observation) => {
    observation = next
    announce()
  }
  const refreshBecomes = (state: RefreshState) => {
    refresh = state
  }
  return { clock, monitor, published, snapshots, change, refreshBecomes, isStopped: () => stopped }
}

const running: RefreshState = { status: 'running', scope: 'default', startedAt: NOW, tally: { queued: 1, done: 0, failed: 0 } }

const twoAccounts = () =>
  aLiveObservation([
    [anAccount('one'), null],
    [anAccount('two'), null],
  ])

describe('the monitor', () => {
  it('publishes before it watches, and refuses to answer before that', async () => {
    const { monitor, published } = await watched()

    expect(() => monitor.latest()).toThrow()
    await monitor.prepare()

    expect(published).toHaveLength(1)
    expect(monitor.latest().snapshot.accounts).toHaveLength(1)
  })

  it('evaluates at least every 15 s, because time alone changes the answer', async () => {
    const { clock, monitor, published } = await watched()
    await monitor.prepare()
    monitor.start()

    await clock.advance(61_000)

    expect(published).toHaveLength(5)
    const times = published.map(({ snapshot }) => snapshot.evaluatedAt)
    expect(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBeLessThanOrEqual(15_000)
  })

  it('shows a change that somebody waits for within a second, however dear it is, and nobody else so soon', async () => {
    for (const isAwaited of [true, false]) {
      const { clock, monitor, published, change } = await watched(300, () => isAwaited)
      const prepared = monitor.prepare()
      await clock.advance(300)
      await prepared
      monitor.start()
      // What may be spent at once is spent.
      for (let round = 0; round < 4; round += 1) {
        change(twoAccounts())
        await clock.advance(1_500)
      }
      const before = published.length
      change(twoAccounts())
      await clock.advance(1_400)
      expect([isAwaited, published.length > before]).toEqual([isAwaited, isAwaited])
      await monitor.stop()
    }
  })

  it('keeps to the pace of the account list while somebody reads, however dear it is, and not when nobody has for a minute', async () => {
    const { clock, monitor, snapshots, change } = await watched(300)
    const prepared = monitor.prepare()
    await clock.advance(300)
    await prepared
    monitor.start()
    const snapshotsIn = async (seconds: number, isRead: boolean) => {
      const before = snapshots.length
      for (let second = 0; second < seconds; second += 5) {
        if (isRead) monitor.read()
        change(twoAccounts())
        await clock.advance(5_000)
      }
      return snapshots.length - before
    }
    // What may be spent at once is spent.
    await snapshotsIn(30, false)

    expect(await snapshotsIn(60, false)).toBeLessThanOrEqual(4)
    expect(await snapshotsIn(60, true)).toBeGreaterThanOrEqual(10)
    await snapshotsIn(60, false)
    expect(await snapshotsIn(60, false)).toBeLessThanOrEqual(4)
  })

  it('shows what is new besides the snapshot at once and without a new snapshot', async () => {
    const { monitor, published, snapshots, refreshBecomes } = await watched()
    await monitor.prepare()
    refreshBecomes(running)

    await monitor.amend()

    expect(monitor.latest().context.refresh).toBe(running)
    expect([published.length, snapshots.length]).toEqual([2, 1])
    await monitor.amend()
    expect(published).toHaveLength(2)
  })

  it('does not take it back with a snapshot that was being encoded meanwhile', async () => {
    const { clock, monitor, published, snapshots, change, refreshBecomes } = await watched(300)
    const prepared = monitor.prepare()
    await clock.advance(300)
    await prepared
    monitor.start()
    await clock.advance(10_000)
    const before = snapshots.length
    change(twoAccounts())
    await clock.advance(300)
    refreshBecomes(running)
    await Promise.all([monitor.amend(), clock.advance(10_000)])

    expect(snapshots.length).toBeGreaterThan(before)
    const firstRunning = published.findIndex(({ context }) => context.refresh === running)
    expect(published.slice(firstRunning).every(({ context }) => context.refresh === running)).toBe(true)
  })

  it('publishes a change within a fraction of a second', async () => {
    const { clock, monitor, change } = await watched()
    await monitor.prepare()
    monitor.start()
    await clock.advance(1_000)

    change(twoAccounts())
    await clock.advance(250)

    expect(monitor.latest().snapshot.accounts).toHaveLength(2)
  })

  it('takes changes in quick succession together', async () => {
    const { clock, monitor, published, change } = await watched()
    await monitor.prepare()
    monitor.start()
    await clock.advance(1_000)

    for (let i = 0; i < 100; i += 1) {
      change(twoAccounts())
      await clock.advance(10)
    }

    expect(published.length).toBeLessThanOrEqual(7)
  })

  it('does not lose a change that comes while it evaluates', async () => {
    const { clock, monitor, change } = await watched(100)
    const prepared = monitor.prepare()
    await clock.advance(100)
    await prepared
    monitor.start()
    await clock.advance(5_100)
    change(aLiveObservation([]))
    await clock.advance(50)

    change(twoAccounts())
    await clock.advance(10_000)

    expect(monitor.latest().snapshot.accounts).toHaveLength(2)
  })

  it('carries the past on: changes add up, newest first', async () => {
    const { clock, monitor, change } = await watched()
    await monitor.prepare()
    monitor.start()
    change(twoAccounts())
    await clock.advance(1_000)
    change(aLiveObservation([[anAccount('two'), null]]))
    await clock.advance(1_000)

    expect(monitor.latest().snapshot.recentChanges.map(({ detail }) => detail.code)).toEqual(['account_removed', 'account_added'])
  })

  it('stops its source and evaluates no more', async () => {
    const { clock, monitor, published, change, isStopped } = await watched()
    await monitor.prepare()
    monitor.start()
    await monitor.stop()
    change(twoAccounts())
    await clock.advance(60_000)

    expect(isStopped()).toBe(true)
    expect(published).toHaveLength(1)
    expect(clock.scheduledCount).toBe(0)
  })
})
