import type { Tone } from '../account/account-status.ts'
import type { EpochMs } from '../facts/time.ts'
import type { ChangeDetail, RecentChange } from './recent-changes.ts'

/** One row of a list of changes: a single change, or the newest of a run in which one thing flips back and forth. */
export interface ChangeRow extends RecentChange {
  /** Number of changes in the run; 1 for a single change. */
  readonly count: number
  /** Time of the run's first change; `at` for a single change. */
  readonly since: EpochMs
}

/** Longest time between two flips of one run. */
const FLIP_MS_MAX = 15 * 60_000
/** Minimum number of flips that are joined into one row: a single change back and forth is news. */
const FLIPS_MIN = 3
/** Maximum number of rows in a list. See docs/rules.md#health. */
const ROWS_MAX = 50
/** Maximum number of changes kept, however long a run is. */
const CHANGES_MAX = 500

/** Groups changes into rows, newest first. */
export function changeRowsOf(changes: readonly RecentChange[]): readonly ChangeRow[] {
  return shownRuns(changes).map(rowOf)
}

/** The changes needed for the rows of a list, in order. */
export function changesToKeep(changes: readonly RecentChange[]): readonly RecentChange[] {
  const newest = changes.slice(0, CHANGES_MAX)
  const kept = new Set(shownRuns(newest).flat())
  return newest.filter((change) => kept.has(change))
}

/** Newest first. */
type Run = readonly [RecentChange, ...RecentChange[]]

function shownRuns(changes: readonly RecentChange[]): readonly Run[] {
  const runOf = new Map<RecentChange, [RecentChange, ...RecentChange[]]>()
  const openRuns = new Map<string, [RecentChange, ...RecentChange[]]>()
  for (const change of changes) {
    const key = flipKeyOf(change.detail)
    const run = key === null ? undefined : openRuns.get(key)
    const earliest = run?.at(-1)
    if (run !== undefined && earliest !== undefined && earliest.at - change.at <= FLIP_MS_MAX) {
      run.push(change)
      runOf.set(change, run)
    } else {
      const begun: [RecentChange] = [change]
      runOf.set(change, begun)
      if (key !== null) openRuns.set(key, begun)
    }
  }
  const shown = changes.flatMap((change): readonly Run[] => {
    const run = runOf.get(change)
    if (run === undefined || run.length < FLIPS_MIN) return [[change]]
    return run[0] === change ? [run] : []
  })
  return shown.slice(0, ROWS_MAX)
}

function rowOf(run: Run): ChangeRow {
  const [newest] = run
  const since = run.at(-1)?.at ?? newest.at
  return { ...newest, tone: toneOf(run), count: run.length, since }
}

/** Tone of a run: `unknown` for flips unless the newest state is bad. */
function toneOf([newest, ...earlier]: Run): Tone {
  return earlier.length === 0 || newest.tone === 'bad' ? newest.tone : 'unknown'
}

/** Identifies the flipping thing; null for a change that cannot flip. */
function flipKeyOf(detail: ChangeDetail): string | null {
  switch (detail.code) {
    case 'status_changed':
      return `status ${stepOf(detail)} ${whoIn(detail)}`
    case 'window_exhausted':
    case 'window_reset':
      return `window ${detail.windowId} ${whoIn(detail)}`
    case 'source_changed':
      return `source ${stepOf(detail)}`
    case 'gateway_changed':
      return 'gateway'
    case 'account_added':
    case 'account_removed':
    case 'account_renamed':
    case 'plan_changed':
    case 'vendor_reset':
    case 'banked_reset_arrived':
    case 'banked_reset_spent':
    case 'banked_reset_lapsed':
    case 'proxy_restarted':
    case 'history_started':
    case 'benchmark_changed':
      return null
    default:
      return detail satisfies never
  }
}

/** A step between two states, the same in both directions. */
function stepOf({ from, to }: { readonly from: string; readonly to: string }): string {
  return from < to ? `${from} ${to}` : `${to} ${from}`
}

/** Goes last in a key, because a title may contain anything. */
function whoIn({ accountKey = '', title }: { accountKey?: string; title: string }): string {
  return `${accountKey} ${title}`
}
