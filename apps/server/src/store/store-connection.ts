import type { Clock, EngineName, HistoryFailureCode, LeaseName } from '@svc/core/service'
import { ChannelError, type NothingOffered } from '../threads/channel.ts'
import { startThread, type Thread, type ThreadPlan } from '../threads/thread.ts'
import type { StoreState } from './store-state.ts'
import type { OpenedStore, StorePlace, WriterApi } from './store-threads.ts'

interface StoreConnectionDeps {
  readonly place: StorePlace
  readonly engine: EngineName
  /** Leases held now, with their terms; null if nobody shares the store. */
  readonly held: () => ReadonlyMap<LeaseName, number> | null
  /** File of the worker. */
  readonly workerUrl: URL
  readonly clock: Clock
  readonly state: StoreState
  /** Called with the contents of the store before it counts as usable. */
  readonly onOpening: (opened: OpenedStore) => void
  /** The store is usable; `isFirst` unless this process has had it open before. */
  readonly onOpen: (opened: OpenedStore, isFirst: boolean) => void
  readonly onFailure: () => void
}

/** The writing thread and the state of its store. A store that fails is closed and opened again, after longer and longer pauses. */
export interface StoreConnection {
  /**
   * Resolves with the thread's answer. A failure closes the store, because after a failed write only opening it again shows the contents of the file.
   */
  ask<Value>(question: (asked: Thread<WriterApi>) => Promise<Value>): Promise<Value>
  /** Sends a call that needs no answer; does nothing without a thread. */
  tell: Thread<WriterApi>['tell']
  /** A reader has found the store damaged. */
  damaged(code: HistoryFailureCode): void
  /** Opens a failing store now rather than later; if an opening is under way and fails, the next one follows soon. */
  retry(): void
  start(): void
  /** Closes the store. Resolves with whether the thread has ended. */
  stop(): Promise<boolean>
}

/** Delay of the first opening: one more thread starting up would delay listening. */
const FIRST_OPEN_MS = 100
const REOPEN_MS_MIN = 2_000
const REOPEN_MS_MAX = 60_000
/** Milliseconds after which an open store counts as settled. If it cannot be reached then, it is reopened at once, and fails only if it stays away for longer than a restart takes. */
const SETTLED_MS = 60_000
const RESTART_MS_MAX = 10_000
const RESTART_TRIED_EVERY_MS = 500
const CLOSE_MS_MAX = 5_000
const DAMAGE: ReadonlySet<HistoryFailureCode> = new Set<HistoryFailureCode>(['corrupt', 'io_error'])

/** Measurements of an open store before its first upkeep. */
const NOTHING_MEASURED = {
  missedSeconds: 0,
  backlogSeconds: null,
  lagSeconds: 0,
  isStandby: false,
  readFailure: null,
} as const

export function createStoreConnection(deps: StoreConnectionDeps): StoreConnection {
  const { place, engine: name, clock, state } = deps
  let worker: Thread<WriterApi> | null = null
  let reopenMs = REOPEN_MS_MIN
  let cancelOpening = () => {}
  let wasOpen = false
  let openedAtMs = Number.NEGATIVE_INFINITY
  /** Until then a server that cannot be reached may be starting again. */
  let restartingUntilMs = Number.NEGATIVE_INFINITY
  let stopped = false
  /** True after a failure, while an opening is scheduled. */
  let isWaiting = false
  /** After damage, opening proves nothing until every page has been read. */
  let thorough = false

  const openIn = (delayMs: number) => {
    cancelOpening()
    isWaiting = !stopped
    if (isWaiting) cancelOpening = clock.schedule(delayMs, () => void open())
  }
  const fail = (code: HistoryFailureCode, detail: string | null = null) => {
    const before = state.now()
    const since = before.kind === 'failing' ? before.since : clock.now()
    thorough ||= DAMAGE.has(code)
    state.become({ kind: 'failing', code, since, engine: name }, detail)
    deps.onFailure()
    openIn(reopenMs)
    reopenMs = Math.min(REOPEN_MS_MAX, reopenMs * 2)
  }
  const damaged = (code: HistoryFailureCode) => {
    // When the store fails, call after call fails; the first one closes it.
    if (state.now().kind !== 'ok') return
    worker?.tell('close', [])
    const isSettled = clock.monotonicMs() - openedAtMs >= SETTLED_MS
    if (code !== 'unreachable' || !isSettled || stopped) return fail(code)
    // A restarted server has ended the connection and soon accepts a new one.
    restartingUntilMs = clock.monotonicMs() + RESTART_MS_MAX
    state.become({ kind: 'opening' })
    deps.onFailure()
    void open()
  }
  const open = async (): Promise<void> => {
    isWaiting = false
    if (stopped) return
    worker ??= startWriter(deps.workerUrl, (error) => {
      worker = null
      if (!stopped) fail('crashed', error)
    })
    try {
      const isFirst = !wasOpen
      const how = { place, now: clock.now(), isFirst, thorough, held: deps.held() }
      const opened = await state.watch(worker.call('open', [how]))
      wasOpen = true
      if (stopped) return
      openedAtMs = clock.monotonicMs()
      deps.onOpening(opened)
      reopenMs = REOPEN_MS_MIN
      thorough = false
      const { engine } = opened
      state.become({ kind: 'ok', at: clock.now(), ...NOTHING_MEASURED, engine })
      deps.onOpen(opened, isFirst)
    } catch (error) {
      if (worker === null) return
      const code = codeOf(error)
      const isRestarting = code === 'unreachable' && clock.monotonicMs() < restartingUntilMs
      if (isRestarting) openIn(RESTART_TRIED_EVERY_MS)
      else fail(code, error instanceof ChannelError ? error.detail : null)
    }
  }

  return {
    async ask(question) {
      if (worker === null || state.now().kind !== 'ok') throw new ChannelError('cannot_open')
      try {
        return await state.watch(question(worker))
      } catch (error) {
        const code = codeOf(error)
        // Nothing is wrong with the store: another monitor holds the lease.
        if (code !== 'not_holder') damaged(code)
        throw error
      }
    },
    tell: (...message) => worker?.tell(...message),
    damaged,
    retry() {
      if (stopped) return
      // An opening under way may have begun before its obstacle was gone.
      reopenMs = REOPEN_MS_MIN
      if (!isWaiting) return
      cancelOpening()
      void open()
    },
    start() {
      cancelOpening = clock.schedule(FIRST_OPEN_MS, () => void open())
    },
    async stop() {
      stopped = true
      cancelOpening()
      return (await worker?.end({ clock, closeMs: CLOSE_MS_MAX }, worker.call('close', []))) ?? true
    },
  }
}

function startWriter(url: URL, onCrash: ThreadPlan<NothingOffered>['onCrash']): Thread<WriterApi> {
  return startThread<WriterApi, NothingOffered>({
    url,
    name: 'store-writer',
    setup: null,
    near: {},
    onCrash,
  })
}

function codeOf(error: unknown): HistoryFailureCode {
  const code = error instanceof ChannelError ? error.code : 'crashed'
  return (code === 'internal' ? 'crashed' : code) as HistoryFailureCode
}
