import type { Clock, EngineName, HistoryFailureCode, LeaseName } from '@svc/core/service'
import { ChannelError, type NothingOffered } from '../threads/channel.ts'
import { startThread, type Thread, type ThreadPlan } from '../threads/thread.ts'
import type { StoreState } from './store-state.ts'
import type { OpenedStore, StorePlace, WriterApi } from './store-threads.ts'

interface StoreConnectionDeps {
  readonly place: StorePlace
  readonly engine: EngineName
  /** Leases that are held now, with their terms; null where nobody shares the store. */
  readonly held: () => ReadonlyMap<LeaseName, number> | null
  /** File of the worker. */
  readonly workerUrl: URL
  readonly clock: Clock
  readonly state: StoreState
  /** Called with what the store holds before it counts as usable. */
  readonly onOpening: (opened: OpenedStore) => void
  /** The store is usable; `isFirst` unless this process has had it open before. */
  readonly onOpen: (opened: OpenedStore, isFirst: boolean) => void
  readonly onFailure: () => void
}

/** The writing thread and whether its store is open. A store that fails is closed and opened anew, later each time. */
export interface StoreConnection {
  /** Resolves with the thread's answer. A failure closes the store, because after a failed write only opening it again shows what the file holds. */
  ask<Value>(question: (asked: Thread<WriterApi>) => Promise<Value>): Promise<Value>
  /** Sends a call that needs no answer; does nothing when there is no thread. */
  tell: Thread<WriterApi>['tell']
  /** A reader has met what is wrong with the store. */
  damaged(code: HistoryFailureCode): void
  /** Opens a store that fails now rather than later; where it is being opened and that fails, it is tried again soon. */
  retry(): void
  start(): void
  /** Closes the store. Resolves with whether the thread has ended. */
  stop(): Promise<boolean>
}

/** Another thread that starts up would delay the moment from which the service listens. */
const FIRST_OPEN_MS = 100
const REOPEN_MS_MIN = 2_000
const REOPEN_MS_MAX = 60_000
const CLOSE_MS_MAX = 5_000
const DAMAGE: ReadonlySet<HistoryFailureCode> = new Set<HistoryFailureCode>(['corrupt', 'io_error'])

/** What is said of an open store until its upkeep has looked at it. */
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
  let stopped = false
  /** It failed, and an opening is planned. */
  let isWaiting = false
  /** After damage an opening proves nothing until every page has been read. */
  let thorough = false

  const fail = (code: HistoryFailureCode, detail: string | null = null) => {
    const before = state.now()
    const since = before.kind === 'failing' ? before.since : clock.now()
    thorough ||= DAMAGE.has(code)
    state.become({ kind: 'failing', code, since, engine: name }, detail)
    deps.onFailure()
    cancelOpening()
    isWaiting = !stopped
    if (isWaiting) cancelOpening = clock.schedule(reopenMs, () => void open())
    reopenMs = Math.min(REOPEN_MS_MAX, reopenMs * 2)
  }
  const damaged = (code: HistoryFailureCode) => {
    // One call after the other fails when the store does; the first one closes it.
    if (state.now().kind !== 'ok') return
    worker?.tell('close', [])
    fail(code)
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
      deps.onOpening(opened)
      reopenMs = REOPEN_MS_MIN
      thorough = false
      const { engine } = opened
      state.become({ kind: 'ok', at: clock.now(), ...NOTHING_MEASURED, engine })
      deps.onOpen(opened, isFirst)
    } catch (error) {
      if (worker !== null) fail(codeOf(error), error instanceof ChannelError ? error.detail : null)
    }
  }

  return {
    async ask(question) {
      if (worker === null || state.now().kind !== 'ok') throw new ChannelError('cannot_open')
      try {
        return await state.watch(question(worker))
      } catch (error) {
        const code = codeOf(error)
        // Nothing is wrong with the store: another monitor decides.
        if (code !== 'not_holder') damaged(code)
        throw error
      }
    },
    tell: (...message) => worker?.tell(...message),
    damaged,
    retry() {
      if (stopped) return
      // An opening under way may have begun before whatever was in its way was gone.
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
