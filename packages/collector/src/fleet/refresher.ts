import {
  firstInstant,
  type QuotaRefresher,
  type RefreshFailure,
  type RefreshRun,
  type RefreshTally,
  type SkippedAccounts,
} from '@svc/core/service'

/** Refreshes quota through several proxies: each queries its own accounts. */
export function refresherOf(all: () => readonly QuotaRefresher[]): QuotaRefresher {
  return {
    available: () => all().some((one) => one.available()),
    isManagementKey(text) {
      const answers = all().map((one) => one.isManagementKey(text))
      return answers.includes(true) ? true : answers.every((is) => is === null) ? null : false
    },
    begin: (target) => runOf(all().map((one) => one.begin(target))),
  }
}

/** Combines several runs into one. */
function runOf(runs: readonly RefreshRun[]): RefreshRun {
  return {
    // Proxies query in parallel, so the longest time counts.
    expectedMs() {
      const times = runs.map((run) => run.expectedMs()).filter((ms) => ms !== null)
      return times.length === 0 ? null : Math.max(...times)
    },
    tally: () => runs.map((run) => run.tally()).reduce(addTallies, NOTHING),
    ended: Promise.all(runs.map(({ ended }) => ended)).then((failures) => {
      // What one proxy skipped is no failure where another has asked.
      const isAsked = runs.some((run, index) => failures[index] === null && run.tally().queued > 0)
      return failureOf(failures.map((one) => (isAsked && one === 'asked_lately' ? null : one)))
    }),
    cancel() {
      for (const run of runs) run.cancel()
    },
  }
}

const NOTHING: RefreshTally = { queued: 0, done: 0, failed: 0 }

function addTallies(one: RefreshTally, other: RefreshTally): RefreshTally {
  return {
    queued: one.queued + other.queued,
    done: one.done + other.done,
    failed: one.failed + other.failed,
    ...skippedByBoth(one, other),
  }
}

function skippedByBoth({ skipped: one }: RefreshTally, { skipped: other }: RefreshTally) {
  const skipped =
    one !== undefined && other !== undefined ? mergedSkips(one, other) : (one ?? other)
  return skipped === undefined ? {} : { skipped }
}

function mergedSkips(one: SkippedAccounts, other: SkippedAccounts): SkippedAccounts {
  return {
    count: one.count + other.count,
    nextAskAt: firstInstant([one.nextAskAt, other.nextAskAt]),
  }
}

/** Failures after which other proxies query the accounts instead. */
const LEFT_TO_OTHERS: ReadonlySet<RefreshFailure | null> = new Set<RefreshFailure | null>([
  'quota_off',
  'no_direct_quota',
])

/** The first reason why accounts were not queried. Failures that leave accounts to other proxies count only if every proxy failed this way. */
function failureOf(failures: readonly (RefreshFailure | null)[]): RefreshFailure | null {
  const [first = null] = failures
  if (failures.every((failure) => LEFT_TO_OTHERS.has(failure))) return first
  return failures.find((failure) => failure !== null && !LEFT_TO_OTHERS.has(failure)) ?? null
}
