/** Major versions of Node on which all of `npm test` was run. */
export const TESTED_NODES: readonly number[] = [20, 22, 24, 26]
/** Response time that is slow for a proxy, which answers in milliseconds; slower calls delay every reading. */
export const SLOW_SECONDS = 3
/** Largest clock difference without visibly wrong ages and resets. */
export const SKEW_SECONDS_MAX = 30
/** Free space below which the store stops writing. See docs/limits.md#history-store. */
export const FREE_MEGABYTES_MIN = 64
/** Free space below which little time is left to act. */
export const FREE_MEGABYTES_LOW = 1024
/** File size from which a history, like one with very many requests, is better kept in a database. See docs/operating.md#postgresql. */
export const OUTGROWN_GIGABYTES = 50
export const OUTGROWN_ROWS_PER_SECOND = 500
/** Age beyond the retention at which requests show that deletion does not keep up. */
export const BACKLOG_HOURS_MAX = 24
/**
 * Advised queue retention: an update or a restart of the machine takes minutes. While a database is away nothing is read either: it
 * restarts or fails over, the store retries after up to a minute, and another monitor takes over in 10 s.
 */
export const QUEUE_SECONDS_ADVISED = 300
