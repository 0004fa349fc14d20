import type { Tone } from '../account/account-status.ts'
import type { EpochMs } from '../facts/time.ts'
import type { ChangeDetail, RecentChange } from './recent-changes.ts'

/** A change as a list shows it: alone, or the newest of a run in which one thing goes to and fro. */
export interface ChangeRow extends RecentChange {
  /** How many changes it stands for; 1 is itself alone. */
  readonly count: number
  /** When the first of them was seen; `at` where it is alone. */
  readonly since: EpochMs
}

/** Changes to and fro of one thing that follow each other within this time are a run ... */
const FLIP_MS_MAX = 15 * 60_000
/** ... which is one row from so many changes on: once there and back is news. */
const FLIPS_MIN = 3
/** A list has no more rows than this. See docs/rules.md#health. */
const ROWS_MAX = 50
/** However long a run is, no more changes are remembered than this. */
const CHANGES_MAX = 500

/** The rows of these changes, newest first as they are. */
export function changeRowsOf(changes: readonly RecentChange[]): readonly ChangeRow[] {
  return shownRuns(changes).map(rowOf)
}

/** The changes that the rows of a list are made of, in their order, and no others. */
export function changesToKeep(changes: readonly RecentChange[]): readonly RecentChange[] {
  const newest = changes.slice(0, CHANGES_MAX)
  const kept = new Set(shownRuns(newest).flat())
  return newest.filter((change) => kept.has(change))
}

/** Newest first, and so is each of them. */
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

/** What goes to and fro is neither better nor worse than before, unless it is bad now. */
function toneOf([newest, ...earlier]: Run): Tone {
  return earlier.length === 0 || newest.tone === 'bad' ? newest.tone : 'unknown'
}

/** Names what goes to and fro; null for a change that is no such thing. */
function flipKeyOf(detail: ChangeDetail): string | null {
  switch (detail.code) {
    case 'status_changed':
      return ['status', whoIn(detail), ...[detail.from, detail.to].sort()].join(' ')
    case 'window_exhausted':
    case 'window_reset':
      return ['window', whoIn(detail), detail.windowId].join(' ')
    case 'source_changed':
      return ['source', ...[detail.from, detail.to].sort()].join(' ')
    case 'gateway_changed':
      return 'gateway'
    case 'account_added':
    case 'account_removed':
    case 'account_renamed':
    case 'plan_changed':
    case 'proxy_restarted':
    case 'history_started':
    case 'benchmark_changed':
      return null
    default:
      return detail satisfies never
  }
}

/** Two files of one account have one key and titles of their own. */
function whoIn(about: { readonly accountKey?: string; readonly title: string }): string {
  return JSON.stringify([about.accountKey, about.title])
}
