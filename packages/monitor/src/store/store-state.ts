import { type EpochMs, plusMs } from '@svc/core'
import type {
  DiskRoom,
  EngineName,
  EngineState,
  HistoryFailureCode,
  HistoryState,
} from '@svc/core/service'

type Failing = Extract<HistoryState, { readonly kind: 'failing' }>

/** The store as its writer knows it. Members that end in `Ms` are monotonic milliseconds, except pauses. */
export interface StoreState {
  /** State of the history; see also `shownOf`. */
  readonly now: HistoryState
  /** Failure to write. Ends with a write or, if the store had not answered, with an answer; an opening alone proves nothing. */
  readonly unwritten: Failing | null
  /** Call that has not returned for so long that the store counts as failing, and the state shown before; null without one. */
  readonly hanging: { readonly call: unknown; readonly before: HistoryState } | null
  readonly engine: EngineName
  /** True until this process has had the store open. */
  readonly isFirst: boolean
  /** After damage, opening proves nothing until every page has been read. */
  readonly isThorough: boolean
  /** Pause after the next failure; grows until something is written. */
  readonly reopenMs: number
  /** True after a failure, while an opening is scheduled. */
  readonly isWaiting: boolean
  readonly openedAtMs: number
  /** Time until which a server that cannot be reached may be restarting. */
  readonly restartingUntilMs: number
  readonly isStopped: boolean
}

export type StoreEvent =
  | { readonly kind: 'start' }
  | { readonly kind: 'opening_due' }
  /** The store was opened and all writers know its contents, so it may be used. */
  | { readonly kind: 'opened'; readonly engine: EngineState }
  | { readonly kind: 'opening_failed'; readonly code: HistoryFailureCode }
  /** A call failed, or a reader found damage. */
  | { readonly kind: 'call_failed'; readonly code: HistoryFailureCode }
  /** A call has not returned for `ANSWER_MS_MAX`. */
  | { readonly kind: 'call_hangs'; readonly call: unknown }
  | { readonly kind: 'call_returned'; readonly call: unknown }
  | { readonly kind: 'written' }
  /** The thread ended without being stopped. */
  | { readonly kind: 'crashed' }
  | {
      readonly kind: 'maintained'
      readonly engine: EngineState
      readonly missedSeconds: number
      readonly disk?: DiskRoom
    }
  | { readonly kind: 'forgotten'; readonly backlogSeconds: number }
  /** The obstacle to opening may be gone. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'stop' }

/** Work for the writer after an event. `take_usage`: the store is usable again after it did not answer. */
export type StoreEffect =
  | 'close'
  | 'pause_upkeep'
  | 'open'
  | 'take_usage'
  | { readonly openInMs: number }

interface Step {
  readonly state: StoreState
  /** In the order in which they are due. */
  readonly effects: readonly StoreEffect[]
}

interface Instant {
  readonly now: EpochMs
  readonly nowMs: number
}

/** Milliseconds after which a call counts as hanging; no call takes as long on a working disk or a database that answers. */
export const ANSWER_MS_MAX = 30_000
/** Delay of the first opening: one more thread starting up would delay listening. */
const FIRST_OPEN_MS = 100
const REOPEN_MS_MIN = 2_000
const REOPEN_MS_MAX = 60_000
/** Milliseconds after which an open store counts as settled. If it cannot be reached then, it is reopened at once, and fails only if it stays away for longer than a restart takes. */
const SETTLED_MS = 60_000
const RESTART_MS_MAX = 10_000
const RESTART_TRIED_EVERY_MS = 500
const DAMAGE: ReadonlySet<HistoryFailureCode> = new Set<HistoryFailureCode>(['corrupt', 'io_error'])

/** Figures of an open store before its first maintenance. The reader adds the figures about reading. */
const NOTHING_MEASURED = {
  missedSeconds: 0,
  backlogSeconds: null,
  lagSeconds: 0,
  isStandby: false,
  readFailure: null,
} as const

export function unopenedStore(engine: EngineName): StoreState {
  return {
    now: { kind: 'opening' },
    unwritten: null,
    hanging: null,
    engine,
    isFirst: true,
    isThorough: false,
    reopenMs: REOPEN_MS_MIN,
    isWaiting: false,
    openedAtMs: Number.NEGATIVE_INFINITY,
    restartingUntilMs: Number.NEGATIVE_INFINITY,
    isStopped: false,
  }
}

export function storeAfter(state: StoreState, event: StoreEvent, at: Instant): Step {
  const { now, unwritten, hanging } = state
  switch (event.kind) {
    case 'start':
      return step(state, { openInMs: FIRST_OPEN_MS })
    case 'opening_due':
      return openNow(state)
    case 'opened':
      return step({
        ...state,
        now: { kind: 'ok', at: at.now, ...NOTHING_MEASURED, engine: event.engine },
        hanging: null,
        isFirst: false,
        isThorough: false,
        reopenMs: unwritten === null ? REOPEN_MS_MIN : state.reopenMs,
        openedAtMs: at.nowMs,
      })
    case 'opening_failed':
      return event.code === 'unreachable' && at.nowMs < state.restartingUntilMs
        ? openIn(state, RESTART_TRIED_EVERY_MS)
        : fail(state, event.code, at)
    case 'call_failed': {
      // When the store fails, call after call fails; the first one closes it. Without its lease a monitor fails alone.
      if (now.kind !== 'ok' || event.code === 'not_holder') return step(state)
      const isLost = event.code === 'unreachable' && !state.isStopped
      const isSettled = at.nowMs - state.openedAtMs >= SETTLED_MS
      if (isLost && isSettled) {
        const next = awaitRestart(state, at)
        return step(next.state, 'close', ...next.effects)
      }
      const next = failToWrite(state, event.code, at)
      // Over another connection it may be reached.
      return isLost && unwritten === null
        ? step(openNow(next.state).state, 'close', 'pause_upkeep', 'open')
        : step(next.state, 'close', ...next.effects)
    }
    case 'written':
      return step(
        unwritten === null ? state : { ...state, unwritten: null, reopenMs: REOPEN_MS_MIN },
      )
    case 'crashed':
      return state.isStopped ? step(state) : failToWrite(state, 'crashed', at)
    case 'call_hangs': {
      // An earlier call has failed the store already; this one may go on hanging after it.
      if (hanging !== null) return step(state)
      const { engine } = state
      const since = unwritten?.since ?? plusMs(at.now, -ANSWER_MS_MAX)
      const silent = { kind: 'failing', code: 'not_answering', since, engine } as const
      return step({
        ...state,
        now: silent,
        unwritten: now.kind === 'ok' ? silent : unwritten,
        hanging: { call: event.call, before: now },
      })
    }
    case 'call_returned': {
      if (hanging === null || hanging.call !== event.call) return step(state)
      const next = { ...state, now: hanging.before, hanging: null }
      return hanging.before.kind === 'ok' ? step(next, 'take_usage') : step(next)
    }
    case 'maintained': {
      if (!isOpenOrSilent(state)) return step(state)
      const { kind: _, ...measured } = event
      const figures = now.kind === 'ok' ? now : NOTHING_MEASURED
      const ok = { ...figures, kind: 'ok', at: at.now, ...measured } as const
      const isOver = unwritten !== null && ENDED_BY_AN_ANSWER.has(unwritten.code)
      return step({ ...state, now: ok, unwritten: isOver ? null : unwritten, hanging: null })
    }
    case 'forgotten':
      if (now.kind !== 'ok') return step(state)
      return step({ ...state, now: { ...now, backlogSeconds: event.backlogSeconds } })
    case 'retry': {
      // An opening under way may have begun before its obstacle was gone.
      const soon = { ...state, reopenMs: REOPEN_MS_MIN }
      return soon.isWaiting ? openNow(soon) : step(soon)
    }
    case 'stop':
      return step({ ...state, isStopped: true })
    default:
      return event satisfies never
  }
}

/** Failures that say nothing about writing: any answer ends them, even while there is nothing to write. */
const ENDED_BY_AN_ANSWER: ReadonlySet<HistoryFailureCode> = new Set<HistoryFailureCode>([
  'unreachable',
  'crashed',
  'not_answering',
])

/** State of the history as health shows it. */
export function shownOf({ now, unwritten }: StoreState): HistoryState {
  return unwritten ?? now
}

/** Whether the store was opened and has not failed since, though a call may hang. */
export function isOpenOrSilent({ now, hanging }: StoreState): boolean {
  return now.kind === 'ok' || hanging !== null
}

/** Waits for a restarted server, which has ended the connection and soon accepts a new one. */
function awaitRestart(state: StoreState, { nowMs }: Instant): Step {
  const restartingUntilMs = nowMs + RESTART_MS_MAX
  const opening = openNow({ ...state, now: { kind: 'opening' }, restartingUntilMs })
  return step(opening.state, 'pause_upkeep', ...opening.effects)
}

/** A failure of an open store. */
function failToWrite(state: StoreState, code: HistoryFailureCode, at: Instant): Step {
  const { state: failing, effects } = fail(state, code, at)
  return step({ ...failing, unwritten: failing.now as Failing }, ...effects)
}

function fail(state: StoreState, code: HistoryFailureCode, at: Instant): Step {
  const { engine, reopenMs } = state
  const shown = shownOf(state)
  const since = shown.kind === 'failing' ? shown.since : at.now
  const now = { kind: 'failing', code, since, engine } as const
  const failing: StoreState = {
    ...state,
    now,
    unwritten: state.unwritten === null ? null : now,
    hanging: null,
    isThorough: state.isThorough || DAMAGE.has(code),
    reopenMs: Math.min(REOPEN_MS_MAX, reopenMs * 2),
  }
  // Whoever holds the file acts; when that one ends, this one goes on soon.
  const next = openIn(failing, code === 'locked' ? REOPEN_MS_MIN : reopenMs)
  return step(next.state, 'pause_upkeep', ...next.effects)
}

function openIn(state: StoreState, openInMs: number): Step {
  return state.isStopped ? step(state) : step({ ...state, isWaiting: true }, { openInMs })
}

function openNow(state: StoreState): Step {
  return state.isStopped ? step(state) : step({ ...state, isWaiting: false }, 'open')
}

function step(state: StoreState, ...effects: readonly StoreEffect[]): Step {
  return { state, effects }
}
