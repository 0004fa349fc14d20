import {
  firstInstant,
  type QuotaRefresher,
  type RefreshFailure,
  type RefreshRun,
  type RefreshTally,
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
    tally: () => sumOf(runs.map((run) => run.tally())),
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

/** Sum of the tallies of several proxies. */
function sumOf(tallies: readonly RefreshTally[]): RefreshTally {
  const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0)
  const skips = tallies.flatMap(({ skipped }) => skipped ?? [])
  return {
    queued: total(tallies.map(({ queued }) => queued)),
    done: total(tallies.map(({ done }) => done)),
    failed: total(tallies.map(({ failed }) => failed)),
    ...(skips.length > 0 && {
      skipped: {
        count: total(skips.map(({ count }) => count)),
        nextAskAt: firstInstant(skips.map(({ nextAskAt }) => nextAskAt)),
      },
    }),
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
