import type { EpochMs, Interval } from '@svc/core'
import type { Clock } from '@svc/core/service'
import { balanceAtEmptyQueue, balanceAtList, noBalance, restartedBalance } from '@svc/core/usage'

/** Requests whose records were taken from the queue by another program or lost on their way to us. */
interface MissingRequests extends Interval {
  readonly count: number
}

interface SeenList {
  readonly requestCount: number
  readonly atMs: number
}

/** Delay after which the record of a counted request is certainly in the queue. */
const QUEUED_AFTER_MS = 2_000
/** Number of lists within an hour, the proxy's longest retention, at the default interval. */
const UNREAD_LISTS_MAX = 250
/** Number of missing requests that raises a suspicion; fewer may still be on their way. */
const RIVAL_REQUESTS_MIN = 5
/** Number of missing requests, and the time, in which a queue that gave nothing has shown a subscriber. */
const STARVED_REQUESTS_MIN = 20
const STARVED_MS = 10 * 60_000
/** Time without missing requests after which a suspicion ends. */
const QUIET_MS = 10 * 60_000

export type MissingRequestsWatch = ReturnType<typeof createMissingRequestsWatch>

/** Compares the proxy's request counts with the records from its queue. */
export function createMissingRequestsWatch(clock: Clock) {
  let balance = noBalance
  let taken = 0
  let takenBeforeList = 0
  let list: SeenList | null = null
  /** Lists read since the queue was last emptied, oldest first. */
  let unread: readonly SeenList[] = []
  /** The newest list old enough to be compared with the pop under way. */
  let listBeforePop: SeenList | null = null
  let countedCount = 0
  let balancedAt: EpochMs | null = null
  let recording = true
  /** Gap that explains requests that went missing after missing requests were last stored. */
  let gap: Interval | null = null
  const suspicion = createSuspicion(clock)

  const starving = createStarvation(clock)

  const restart = () => {
    starving.forget()
    balance = restartedBalance(balance)
    list = null
    listBeforePop = null
    unread = []
  }
  const balanceAt = ({ requestCount, atMs }: SeenList) => {
    const before = balance.missing
    balance = balanceAtEmptyQueue(balance, requestCount, taken)
    starving.judge(suspicion.judge(balance.missing - before, atMs), suspicion.isRaised())
    unread = unread.filter((later) => later.atMs > atMs)
    if (balance.missing !== countedCount) return
    balancedAt = clock.now()
    gap = null
  }

  return {
    /** Called before the account list is requested. */
    listBegins() {
      takenBeforeList = taken
    },
    /** Takes the total number of requests in the list's files. */
    listed(requestCount: number) {
      if (!recording) return
      balance = balanceAtList(balance, requestCount, takenBeforeList)
      list = { requestCount, atMs: clock.monotonicMs() }
      unread = [...unread, list].slice(-UNREAD_LISTS_MAX)
    },
    /** Called before records are taken out. */
    popBegins() {
      listBeforePop =
        list !== null && clock.monotonicMs() - list.atMs >= QUEUED_AFTER_MS ? list : null
    },
    /** Takes the number of stored records that belong to listed files. `emptied`: the queue had no more records. */
    popped({ recordCount, emptied }: { readonly recordCount: number; readonly emptied: boolean }) {
      taken += recordCount
      if (recordCount > 0) starving.fed()
      if (!emptied || listBeforePop === null) return
      balanceAt(listBeforePop)
      listBeforePop = null
    },
    /** Called when the proxy has discarded all records older than this, and none were taken in between. */
    forgotten(keptSeconds: number) {
      const goneMs = clock.monotonicMs() - keptSeconds * 1000 - QUEUED_AFTER_MS
      const gone = unread.findLast(({ atMs }) => atMs <= goneMs)
      if (gone !== undefined) balanceAt(gone)
    },
    /** Notes a loss explained elsewhere: by a gap, or by a restart of the proxy if null. */
    explain(by: Interval | null) {
      suspicion.explain()
      if (by === null) starving.forget()
      gap = by === null ? null : { from: by.from, to: by.to }
    },
    /** Starts a new comparison, because until now another of our monitors took the records. */
    restart,
    /** Sets whether the proxy records usage at all. */
    useRecording(records: boolean) {
      if (records === recording) return
      recording = records
      restart()
    },
    /** Missing requests not stored yet; null for none. */
    uncounted() {
      const count = balance.missing - countedCount
      if (count === 0) return null
      const to = clock.now()
      return { count, from: balancedAt ?? to, to, ...gap }
    },
    /** Marks missing requests as stored. */
    counted({ count, to }: MissingRequests) {
      countedCount += count
      balancedAt = to
      gap = null
    },
    /** Whether another program seems to take records, now or in the last minutes. */
    isRivalSuspected: suspicion.isRaised,
    /** Whether the queue gave nothing although requests were made; then true until the proxy restarts. */
    isStarved: starving.isShown,
  }
}

/** Suspects that another program takes records if many are missing without another explanation. */
function createSuspicion(clock: Clock) {
  /** Time since which losses have another explanation; null once a later list was compared. */
  let explainedAtMs: number | null = null
  let count = 0
  let raisedAtMs = Number.NEGATIVE_INFINITY
  return {
    /** Returns the number of requests that are missing without an explanation. */
    judge(more: number, listedAtMs: number): number {
      const nowMs = clock.monotonicMs()
      if (nowMs - raisedAtMs > QUIET_MS) count = 0
      const unexplained = explainedAtMs === null ? Math.max(0, more) : 0
      if (unexplained > 0) {
        count += unexplained
        raisedAtMs = nowMs
      }
      if (explainedAtMs !== null && listedAtMs > explainedAtMs) explainedAtMs = null
      return unexplained
    },
    explain() {
      explainedAtMs = clock.monotonicMs()
    },
    isRaised: () => count >= RIVAL_REQUESTS_MIN && clock.monotonicMs() - raisedAtMs <= QUIET_MS,
  }
}

/** Recognizes a queue that stays empty because another program subscribes. A program that pops leaves some records to us. */
function createStarvation(clock: Clock) {
  let sinceMs: number | null = null
  let count = 0
  let isShown = false
  const fed = () => {
    sinceMs = null
    count = 0
  }
  return {
    fed,
    judge(missing: number, isSuspected: boolean) {
      const nowMs = clock.monotonicMs()
      count += missing
      if (missing > 0) sinceMs ??= nowMs
      const isLong = sinceMs !== null && nowMs - sinceMs >= STARVED_MS
      isShown ||= isSuspected && isLong && count >= STARVED_REQUESTS_MIN
    },
    forget() {
      fed()
      isShown = false
    },
    isShown: () => isShown,
  }
}
