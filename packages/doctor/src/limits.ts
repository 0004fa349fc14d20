/** Major versions of Node on which all of `npm test` was run. */
export const TESTED_NODES: readonly number[] = [20, 22, 24, 26]
/** Response time that is slow for a proxy, which answers in milliseconds; slower calls delay every reading. */
export const SLOW_SECONDS = 3
/** Largest clock difference without visibly wrong ages and resets. */
export const SKEW_SECONDS_MAX = 30
/** Free space below which the store stops writing. See docs/limits.md#history-store. */
export const FREE_MEGABYTES_MIN = 64
/** Free space below which an operator should act soon. */
export const FREE_MEGABYTES_LOW = 1024
/** File size above which a history is better kept in a database, as is one with very many requests. See docs/operating.md#postgresql. */
export const OUTGROWN_GIGABYTES = 50
export const OUTGROWN_ROWS_PER_SECOND = 500
/** Age of requests beyond the retention at which deletion has fallen behind. */
export const BACKLOG_HOURS_MAX = 24
/**
 * Recommended queue retention. An update or a restart of the machine takes minutes. While a database is unavailable, the queue is not read either:
 * the database restarts or fails over, the store retries after up to a minute, and another monitor takes over in 10 s.
 */
export const QUEUE_SECONDS_ADVISED = 300
