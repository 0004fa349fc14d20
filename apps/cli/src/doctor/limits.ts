/** The proxy answers in milliseconds; what takes longer delays every reading. */
export const SLOW_SECONDS = 3
/** A clock that is further off shows wrong ages and resets. */
export const SKEW_SECONDS_MAX = 30
/** With less free, the store stops to write. See docs/limits.md#history-store. */
export const FREE_MEGABYTES_MIN = 64
/** With less free, there is little time left to act. */
export const FREE_MEGABYTES_LOW = 1024
