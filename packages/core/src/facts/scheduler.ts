import { type EpochMs, MINUTE_MS } from './time.ts'
import type { UpstreamName } from './upstream.ts'

/** Reasons why the questions of a scheduler are refused: its address names a host that is not allowed, or it names a proxy that is not watched. */
export const schedulerRefusals = ['host', 'upstream'] as const
export type SchedulerRefusal = (typeof schedulerRefusals)[number]

/** One question of a scheduler for the ranking. */
export interface SchedulerQuestion {
  /** The proxy that it names; null if none. */
  readonly upstream: UpstreamName | null
  readonly version: string
  /** Its report; null from a version that sends none. */
  readonly report: {
    /** Attempts that the proxy asked it about since its last question that was answered. */
    readonly askedCount: number
    /** Number of attempts for which it named an account. */
    readonly pickCount: number
    /** False while it leaves every pick to the proxy. */
    readonly follows: boolean
  } | null
  /** Null if it was answered. */
  readonly refusal: SchedulerRefusal | null
}

/** The plugin of a proxy that routes by the ranking, by its questions to this process. */
export interface Scheduler extends Omit<SchedulerQuestion, 'upstream'> {
  /** The proxy that it named; left out if it named none. */
  readonly upstream?: UpstreamName
  readonly askedAt: EpochMs
  /** First of the questions that came without a pause. */
  readonly askingSince: EpochMs
  /** Attempts that the proxy asked it about since its first question to this process. */
  readonly askedCount: number
  /** Number of attempts for which it named an account. */
  readonly pickCount: number
  /** Time of the last question that reported an attempt; null if none did. */
  readonly consultedAt: EpochMs | null
  /** An instant after which the proxy has ended requests; null if none is known. */
  readonly requestsAfter: EpochMs | null
  /** Requests that the proxy has ended since `askingSince`. */
  readonly requestCount: number
}

/** States of a scheduler, as `schedulerStateOf` finds them. */
export const schedulerStates = [
  'routes',
  'waits',
  'unreported',
  'pauses',
  'silent',
  'not_following',
  'not_consulted',
  'picks_nothing',
  'refused_host',
  'refused_upstream',
] as const
/** State of a scheduler. */
export type SchedulerState = (typeof schedulerStates)[number]

/** Time within which an asking scheduler asks again, and has a ranking to follow. It asks every 30 s at least. */
export const SCHEDULER_SILENCE_MS = MINUTE_MS

/** Time without an attempt after which it pauses, but for the length of a pause between questions. */
const PAUSES_AFTER_MS = 4 * MINUTE_MS
/** Longest request: one that ends later began after the last question. */
const LONGEST_REQUEST_MS = 15 * MINUTE_MS
/** Requests that may have begun before a plugin was there to be asked. */
const EARLIER_REQUESTS = 2

/** Whether requests are routed by the ranking, according to the questions and the proxy's own counts. */
export function schedulerStateOf(scheduler: Scheduler, now: EpochMs): SchedulerState {
  const { askedAt, askingSince, consultedAt, report, refusal, requestsAfter } = scheduler
  if (refusal !== null) return `refused_${refusal}`
  if (now - askedAt > SCHEDULER_SILENCE_MS) {
    // A request that began before a pause may end in it.
    const mayPause = askedAt - (consultedAt ?? askingSince) >= PAUSES_AFTER_MS
    const endsBy = askedAt + (mayPause ? LONGEST_REQUEST_MS : 0)
    return requestsAfter !== null && requestsAfter >= endsBy ? 'silent' : 'pauses'
  }
  if (report === null) return 'unreported'
  const hasSettled = askedAt - askingSince >= SCHEDULER_SILENCE_MS
  if (hasSettled && !report.follows) return 'not_following'
  if (consultedAt === null)
    return hasSettled && scheduler.requestCount > EARLIER_REQUESTS ? 'not_consulted' : 'waits'
  return scheduler.pickCount > 0 ? 'routes' : 'picks_nothing'
}
