import type { QuotaRefresher, RefreshFailure, RefreshRun, RefreshTally } from '@svc/core/service'

/** Asks for quota through several proxies: each asks about the accounts that are its to ask about. */
export function refresherOf(all: () => readonly QuotaRefresher[]): QuotaRefresher {
  return {
    available: () => all().some((one) => one.available()),
    isManagementKey(text) {
      const answers = all().map((one) => one.isManagementKey(text))
      return answers.includes(true) ? true : answers.every((is) => is === null) ? null : false
    },
    begin: (scope) => runOf(all().map((one) => one.begin(scope))),
  }
}

/** Several runs as one. */
function runOf(runs: readonly RefreshRun[]): RefreshRun {
  return {
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

/** The first reason why some were not asked. A proxy whose queries are off leaves its accounts to the others, and is one only where all are. */
function failureOf(failures: readonly (RefreshFailure | null)[]): RefreshFailure | null {
  if (failures.every((failure) => failure === 'quota_off')) return 'quota_off'
  return failures.find((failure) => failure !== null && failure !== 'quota_off') ?? null
}
