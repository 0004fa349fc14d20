import { type EpochMs, MINUTE_MS } from './time.ts'
import type { UpstreamName } from './upstream.ts'

/** Reasons for refusing a scheduler's request: it was sent to a host name that is not allowed, or it names a proxy that is not watched. */
export const schedulerRefusals = ['host', 'upstream'] as const
export type SchedulerRefusal = (typeof schedulerRefusals)[number]

/** One request of a scheduler for the ranking. */
export interface SchedulerQuestion {
  /** The proxy named in the request; null if none. */
  readonly upstream: UpstreamName | null
  readonly version: string
  /** The scheduler's report; null from a version that sends none. */
  readonly report: {
    /** Request attempts that the proxy passed to the scheduler since its last answered request for the ranking. */
    readonly askedCount: number
    /** Number of these attempts for which the scheduler chose an account. */
    readonly pickCount: number
    /** False while the scheduler leaves every choice to the proxy. */
    readonly follows: boolean
  } | null
  /** Null if the request was answered. */
  readonly refusal: SchedulerRefusal | null
}

/** A proxy plugin that routes by the ranking, as known from its requests to this process. */
export interface Scheduler extends Omit<SchedulerQuestion, 'upstream'> {
  /** The proxy named in its requests; omitted if none. */
  readonly upstream?: UpstreamName
  readonly askedAt: EpochMs
  /** Time of the first request since the last pause. */
  readonly askingSince: EpochMs
  /** Request attempts that the proxy passed to the scheduler since its first request to this process. */
  readonly askedCount: number
  /** Number of these attempts for which the scheduler chose an account. */
  readonly pickCount: number
  /** Time of the last request that reported an attempt; null if none did. */
  readonly consultedAt: EpochMs | null
  /** A time after which the proxy has completed requests; null if none is known. */
  readonly requestsAfter: EpochMs | null
  /** Requests completed by the proxy since `askingSince`. */
  readonly requestCount: number
}

/** Results of `schedulerStateOf`. */
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
export type SchedulerState = (typeof schedulerStates)[number]

/**
 * Silence after which a scheduler counts as not asking, and time after its first request by which it must follow a ranking. It asks at least every 30
 * s.
 */
export const SCHEDULER_SILENCE_MS = MINUTE_MS

/** Time without an attempt after which silence may be a pause: the plugin stops asking after 5 minutes, and asks up to a minute apart. */
const PAUSES_AFTER_MS = 4 * MINUTE_MS
/** Longest duration of a request through the proxy: one that ends later began after the scheduler's last request for the ranking. */
const LONGEST_REQUEST_MS = 15 * MINUTE_MS
/** Number of requests through the proxy that may have begun before the plugin was loaded. */
const EARLIER_REQUESTS = 2

/** Whether requests are routed by the ranking, according to the scheduler's reports and the proxy's own counts. */
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
