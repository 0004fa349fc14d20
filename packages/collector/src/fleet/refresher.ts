import type { QuotaRefresher, RefreshFailure, RefreshRun, RefreshTally } from '@svc/core/service'

/** Asks for quota through several proxies: each asks about the accounts that are its to ask about. */
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

/** Several runs as one. */
function runOf(runs: readonly RefreshRun[]): RefreshRun {
  return {
    // They ask side by side.
    expectedMs() {
      const times = runs.map((run) => run.expectedMs()).filter((ms) => ms !== null)
      return times.length === 0 ? null : Math.max(...times)
    },
    tally: () => runs.map((run) => run.tally()).reduce(added, NOTHING),
    ended: Promise.all(runs.map(({ ended }) => ended)).then(failureOf),
    cancel() {
      for (const run of runs) run.cancel()
    },
  }
}

const NOTHING: RefreshTally = { queued: 0, done: 0, failed: 0 }

function added(one: RefreshTally, other: RefreshTally): RefreshTally {
  return {
    queued: one.queued + other.queued,
    done: one.done + other.done,
    failed: one.failed + other.failed,
  }
}

/** A proxy with one of these leaves its accounts to the others. */
const LEFT_TO_OTHERS: ReadonlySet<RefreshFailure | null> = new Set<RefreshFailure | null>([
  'quota_off',
  'no_direct_quota',
])

/** The first reason why some were not asked; one that leaves them to other proxies only where no other asks. */
function failureOf(failures: readonly (RefreshFailure | null)[]): RefreshFailure | null {
  const [first = null] = failures
  if (failures.every((failure) => LEFT_TO_OTHERS.has(failure))) return first
  return failures.find((failure) => failure !== null && !LEFT_TO_OTHERS.has(failure)) ?? null
}
