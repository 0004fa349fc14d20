import { plusMs } from '@svc/core'
import type { EngineState, HistoryFailureCode, HistoryState } from '@svc/core/service'
import { fromNow, NOW } from '@svc/core/testing'
import { expect, it } from 'vitest'
import {
  type StoreEffect,
  type StoreEvent,
  type StoreState,
  shownOf,
  storeAfter,
  unopenedStore,
} from './store-state.ts'

const ENGINE: EngineState = { name: 'sqlite', walBytes: 0 }
const OK: HistoryState = {
  kind: 'ok',
  at: NOW,
  missedSeconds: 0,
  backlogSeconds: null,
  lagSeconds: 0,
  isStandby: false,
  readFailure: null,
  engine: ENGINE,
}
const failing = (code: HistoryFailureCode, seconds = 0): HistoryState => ({
  kind: 'failing',
  code,
  since: fromNow(seconds),
  engine: 'sqlite',
})

/** What happened: events, and seconds that pass between them. */
type Course = readonly (StoreEvent | number)[]

const opened: StoreEvent = { kind: 'opened', engine: ENGINE }
const due: StoreEvent = { kind: 'opening_due' }
const retry: StoreEvent = { kind: 'retry' }
const written: StoreEvent = { kind: 'written' }
const stop: StoreEvent = { kind: 'stop' }
const crashed: StoreEvent = { kind: 'crashed' }
const lost = (code: HistoryFailureCode): StoreEvent => ({ kind: 'call_failed', code })
const unopened = (code: HistoryFailureCode): StoreEvent => ({ kind: 'opening_failed', code })
const hangs = (call: string): StoreEvent => ({ kind: 'call_hangs', call })
const returned = (call: string): StoreEvent => ({ kind: 'call_returned', call })
const maintained = {
  kind: 'maintained',
  engine: { name: 'sqlite', walBytes: 9 },
  missedSeconds: 2.5,
} as const satisfies StoreEvent
const forgotten: StoreEvent = { kind: 'forgotten', backlogSeconds: 4 }
const SETTLED = [opened, 60]
const FAILED: readonly StoreEffect[] = ['close', 'pause_upkeep', { openInMs: 2_000 }]

/** The state after all of it, and the effects of the last event. */
function after(course: Course) {
  let seconds = 0
  let state = unopenedStore('sqlite')
  let effects: readonly StoreEffect[] = []
  for (const each of course) {
    if (typeof each === 'number') seconds += each
    else
      ({ state, effects } = storeAfter(state, each, {
        now: fromNow(seconds),
        nowMs: 5_000 + seconds * 1_000,
      }))
  }
  return { state, effects }
}

interface Row {
  readonly what: string
  readonly course: Course
  readonly shown: HistoryState
  readonly effects?: readonly StoreEffect[]
  readonly also?: Partial<StoreState>
}

it.each<Row>([
  {
    what: 'is opened a moment after the start',
    course: [{ kind: 'start' }],
    shown: { kind: 'opening' },
    effects: [{ openInMs: 100 }],
  },
  {
    what: 'is opened when that is due',
    course: [due],
    shown: { kind: 'opening' },
    effects: ['open'],
  },
  { what: 'is usable once it is open', course: [opened], shown: OK, also: { isFirst: false } },
  {
    what: 'that cannot be opened is tried again after two seconds',
    course: [due, unopened('locked')],
    shown: failing('locked'),
    effects: ['pause_upkeep', { openInMs: 2_000 }],
    also: { isFirst: true },
  },
  {
    what: 'fails since its first failure, whatever the reason is now',
    course: [unopened('locked'), 2, due, unopened('busy')],
    shown: failing('busy'),
    effects: ['pause_upkeep', { openInMs: 4_000 }],
  },
  {
    what: 'is closed by a call that fails',
    course: [opened, 1, lost('disk_full')],
    shown: failing('disk_full', 1),
    effects: FAILED,
    also: { isThorough: false },
  },
  {
    what: 'fails once, however many calls fail with it',
    course: [opened, lost('disk_full'), lost('io_error')],
    shown: failing('disk_full'),
  },
  { what: 'has no part in a lost lease', course: [opened, lost('not_holder')], shown: OK },
  ...(['corrupt', 'io_error'] as const).map((code) => ({
    what: `is read through after ${code}`,
    course: [opened, lost(code)],
    shown: failing(code),
    effects: FAILED,
    also: { isThorough: true },
  })),
  {
    what: 'stays to be read through, whatever fails next',
    course: [opened, lost('corrupt'), due, unopened('busy')],
    shown: failing('busy'),
    effects: ['pause_upkeep', { openInMs: 4_000 }],
    also: { isThorough: true },
  },
  {
    what: 'that was opened is not read through again',
    course: [opened, lost('corrupt'), due, opened, written],
    shown: OK,
    also: { isThorough: false, reopenMs: 2_000 },
  },
  {
    what: 'whose server is away after a minute may be restarting',
    course: [...SETTLED, lost('unreachable')],
    shown: { kind: 'opening' },
    effects: ['close', 'pause_upkeep', 'open'],
  },
  {
    what: 'whose server is away sooner fails, and is opened at once',
    course: [opened, 59.999, lost('unreachable')],
    shown: failing('unreachable', 59.999),
    effects: ['close', 'pause_upkeep', 'open'],
  },
  {
    what: 'whose server is away again before anything was written is opened later',
    course: [opened, 1, lost('unreachable'), 1, opened, 1, lost('unreachable')],
    shown: failing('unreachable', 1),
    effects: ['close', 'pause_upkeep', { openInMs: 4_000 }],
  },
  ...[lost('unreachable'), { kind: 'crashed' } as const].map((failed) => ({
    what: `that was ${failed.kind} is well once it has answered, also with nothing to write`,
    course: [opened, 1, failed, due, opened, 2, maintained],
    shown: { ...OK, at: fromNow(3), missedSeconds: 2.5, engine: maintained.engine },
  })),
  ...(['disk_full', 'io_error'] as const).map((code) => ({
    what: `that failed with ${code} and is open fails until something is written`,
    course: [opened, 1, lost(code), due, opened, 2, maintained],
    shown: failing(code, 1),
    also: { now: { ...OK, at: fromNow(3), missedSeconds: 2.5, engine: maintained.engine } },
  })),
  {
    what: 'that is written has not failed',
    course: [opened, 1, lost('disk_full'), due, opened, written],
    shown: { ...OK, at: fromNow(1) },
  },
  {
    what: 'that fails again and again before anything is written fails since the first time',
    course: [opened, 1, lost('disk_full'), 2, opened, lost('io_error'), 4, opened, lost('busy')],
    shown: failing('busy', 1),
    effects: ['close', 'pause_upkeep', { openInMs: 8_000 }],
  },
  {
    what: 'that could not be opened is well as soon as it is open',
    course: [unopened('locked'), 2, opened],
    shown: { ...OK, at: fromNow(2) },
  },
  {
    what: 'whose call hung and failed in the end fails since it was asked',
    course: [opened, 30, hangs('a'), 15, returned('a'), lost('unreachable'), opened],
    shown: failing('unreachable'),
  },
  {
    what: 'whose server restarts is tried twice a second',
    course: [...SETTLED, lost('unreachable'), 9.999, unopened('unreachable')],
    shown: { kind: 'opening' },
    effects: [{ openInMs: 500 }],
  },
  {
    what: 'whose server is away for longer than a restart fails',
    course: [...SETTLED, lost('unreachable'), 10, unopened('unreachable')],
    shown: failing('unreachable', 70),
    effects: ['pause_upkeep', { openInMs: 2_000 }],
  },
  {
    what: 'whose server is back, and refuses it, fails',
    course: [...SETTLED, lost('unreachable'), 1, unopened('login_refused')],
    shown: failing('login_refused', 61),
    effects: ['pause_upkeep', { openInMs: 2_000 }],
  },
  {
    what: 'whose thread ended is opened by another',
    course: [opened, 1, crashed],
    shown: failing('crashed', 1),
    effects: ['pause_upkeep', { openInMs: 2_000 }],
  },
  {
    what: 'that waits is opened at once when somebody asks',
    course: [unopened('locked'), retry],
    shown: failing('locked'),
    effects: ['open'],
    also: { reopenMs: 2_000 },
  },
  {
    what: 'is not opened twice when two ask',
    course: [unopened('locked'), retry, retry],
    shown: failing('locked'),
  },
  {
    what: 'that is being opened when somebody asks is tried again soon',
    course: [unopened('locked'), due, unopened('locked'), due, retry, unopened('locked')],
    shown: failing('locked'),
    effects: ['pause_upkeep', { openInMs: 2_000 }],
  },
  { what: 'that is open is left alone when somebody asks', course: [opened, retry], shown: OK },
  {
    what: 'that hangs fails since it was asked',
    course: [opened, 30, hangs('a')],
    shown: failing('not_answering'),
  },
  {
    what: 'that hangs ignores the failures of other calls',
    course: [opened, 30, hangs('a'), lost('disk_full')],
    shown: failing('not_answering'),
  },
  {
    what: 'that answers again takes usage again',
    course: [opened, hangs('a'), 60, written, returned('a')],
    shown: OK,
    effects: ['take_usage'],
  },
  {
    what: 'hangs until the call that was asked first returns',
    course: [opened, 30, hangs('a'), 30, hangs('b'), returned('b')],
    shown: failing('not_answering'),
  },
  {
    what: 'that hung while it was opened takes no usage yet',
    course: [due, hangs('open'), returned('open')],
    shown: { kind: 'opening' },
  },
  {
    what: 'that hung while it was opened again fails as before',
    course: [unopened('locked'), 2, due, 30, hangs('open'), returned('open')],
    shown: failing('locked'),
  },
  {
    what: 'that hung has ended with its thread',
    course: [opened, 30, hangs('a'), crashed, returned('a')],
    shown: failing('crashed'),
    also: { hanging: null },
  },
  {
    what: 'shows what upkeep has measured',
    course: [opened, forgotten, 2, maintained],
    shown: {
      ...OK,
      at: plusMs(NOW, 2_000),
      missedSeconds: 2.5,
      backlogSeconds: 4,
      engine: { name: 'sqlite', walBytes: 9 },
    },
  },
  {
    what: 'that has failed meanwhile shows nothing of it',
    course: [opened, lost('disk_full'), maintained, forgotten],
    shown: failing('disk_full'),
  },
  {
    what: 'that is stopped is not opened again after a failure',
    course: [...SETTLED, stop, lost('unreachable')],
    shown: failing('unreachable', 60),
    effects: ['close', 'pause_upkeep'],
  },
  { what: 'that is stopped has no thread to miss', course: [opened, stop, crashed], shown: OK },
  {
    what: 'that is stopped is opened for nobody',
    course: [unopened('locked'), stop, retry, due],
    shown: failing('locked'),
  },
])('a store $what', ({ course, shown, effects = [], also = {} }) => {
  const seen = after(course)

  expect(shownOf(seen.state)).toEqual(shown)
  expect(seen.state).toMatchObject(also)
  expect(seen.effects).toEqual(effects)
})

it('tries a file that another process holds every two seconds', () => {
  const pauses = [1, 2, 9].map((count) => after(Array(count).fill(unopened('locked'))).effects[1])

  expect(pauses).toEqual(Array(3).fill({ openInMs: 2_000 }))
})

it('waits twice as long after each opening that fails, a minute at most', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7].map(
    (count) => after(Array(count).fill(unopened('read_only'))).effects[1],
  )

  expect(pauses).toEqual(
    [2, 4, 8, 16, 32, 60, 60].map((seconds) => ({ openInMs: seconds * 1_000 })),
  )
})
