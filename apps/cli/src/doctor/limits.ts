/** Major versions of Node on which all of `npm test` was run. */
export const TESTED_NODES: readonly number[] = [20, 22, 24, 26]
/** The proxy answers in milliseconds; what takes longer delays every reading. */
export const SLOW_SECONDS = 3
/** A clock that is further off shows wrong ages and resets. */
export const SKEW_SECONDS_MAX = 30
/** With less free, the store stops to write. See docs/limits.md#history-store. */
export const FREE_MEGABYTES_MIN = 64
/** With less free, there is little time left to act. */
export const FREE_MEGABYTES_LOW = 1024
/** A file that is larger, or that takes more requests, is better kept in a database. See docs/operating.md#postgresql. */
export const OUTGROWN_GIGABYTES = 50
export const OUTGROWN_ROWS_PER_SECOND = 500
/** Requests that are this much older than they are to be kept: forgetting does not keep up. */
export const BACKLOG_HOURS_MAX = 24
/**
 * An update or a restart of the machine takes minutes. While a database is away nothing is read either: it restarts or fails over, the store is tried again
 * after up to a minute, and another monitor takes over in 10 s.
 */
export const QUEUE_SECONDS_ADVISED = 300
