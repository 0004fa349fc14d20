import type { EpochMs } from '@svc/core'
import type { Clock } from '@svc/core/service'
import { balanceAtEmptyQueue, balanceAtList, noBalance, restartedBalance } from '@svc/core/usage'

/** Requests that somebody else has taken out of the queue, or that got lost on their way to us. */
export interface MissingRequests {
  readonly count: number
  /** Since when they may be missing. */
  readonly from: EpochMs
  readonly to: EpochMs
}

/** Compares what the proxy counts with what comes out of its queue. */
export interface MissingRequestsWatch {
  /** The account list is about to be asked for. */
  listBegins(): void
  /** It shows this many requests of its files. */
  listed(requestCount: number): void
  /** Records are about to be taken out. */
  popBegins(): void
  /** This many records of listed files were taken and stored; `emptied`: the proxy had no more. */
  popped(taken: { readonly recordCount: number; readonly emptied: boolean }): void
  /** Something that is told otherwise has made requests go missing: a gap, or a proxy that began again. */
  explain(): void
  /** Records were taken by somebody whom we know, until now: what is missing is counted anew. */
  restart(): void
  /** Whether the proxy keeps records at all. */
  useRecording(records: boolean): void
  /** What has gone missing and was not counted yet; null for nothing. */
  uncounted(): MissingRequests | null
  /** That much was counted. */
  counted(missing: MissingRequests): void
  /** Somebody else seems to take records, now or in the last minutes. */
  isRivalSuspected(): boolean
}

interface SeenList {
  readonly requestCount: number
  readonly atMs: number
}

/** The proxy puts a record into its queue a moment after it has counted the request. */
const QUEUED_AFTER_MS = 2_000
/** Fewer may have been on their way. */
const RIVAL_REQUESTS_MIN = 5
/** A suspicion ends when nothing has gone missing for so long. */
const QUIET_MS = 10 * 60_000

export function createMissingRequestsWatch(clock: Clock): MissingRequestsWatch {
  let balance = noBalance
  let taken = 0
  let takenBeforeList = 0
  let list: SeenList | null = null
  /** The newest list that the pop under way can prove something about. */
  let listBeforePop: SeenList | null = null
  let countedCount = 0
  let balancedAt: EpochMs | null = null
  let recording = true
  const suspicion = createSuspicion(clock)

  const restart = () => {
    balance = restartedBalance(balance)
    list = null
    listBeforePop = null
  }

  return {
    listBegins() {
      takenBeforeList = taken
    },
    listed(requestCount) {
      if (!recording) return
      balance = balanceAtList(balance, requestCount, takenBeforeList)
      list = { requestCount, atMs: clock.monotonicMs() }
    },
    popBegins() {
      listBeforePop =
        list !== null && clock.monotonicMs() - list.atMs >= QUEUED_AFTER_MS ? list : null
    },
    popped({ recordCount, emptied }) {
      taken += recordCount
      if (!emptied || listBeforePop === null) return
      const before = balance.missing
      balance = balanceAtEmptyQueue(balance, listBeforePop.requestCount, taken)
      suspicion.judge(balance.missing - before, listBeforePop.atMs)
      listBeforePop = null
      if (balance.missing === countedCount) balancedAt = clock.now()
    },
    explain: suspicion.explain,
    restart,
    useRecording(records) {
      if (records === recording) return
      recording = records
      restart()
    },
    uncounted() {
      const count = balance.missing - countedCount
      const to = clock.now()
      return count === 0 ? null : { count, from: balancedAt ?? to, to }
    },
    counted({ count, to }) {
      countedCount += count
      balancedAt = to
    },
    isRivalSuspected: suspicion.isRaised,
  }
}

/** Whether somebody else takes records: many are missing, and nothing else accounts for it. */
function createSuspicion(clock: Clock) {
  /** Since when something else accounts for losses, until a later list has been compared. */
  let explainedAtMs: number | null = null
  let count = 0
  let raisedAtMs = Number.NEGATIVE_INFINITY
  return {
    judge(more: number, listedAtMs: number) {
      const nowMs = clock.monotonicMs()
      if (nowMs - raisedAtMs > QUIET_MS) count = 0
      if (more > 0 && explainedAtMs === null) {
        count += more
        raisedAtMs = nowMs
      }
      if (explainedAtMs !== null && listedAtMs > explainedAtMs) explainedAtMs = null
    },
    explain() {
      explainedAtMs = clock.monotonicMs()
    },
    isRaised: () => count >= RIVAL_REQUESTS_MIN && clock.monotonicMs() - raisedAtMs <= QUIET_MS,
  }
}
