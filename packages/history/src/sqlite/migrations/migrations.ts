import { start } from './0000-start.ts'
import { readingOrigin } from './0001-reading-origin.ts'
import { upstreams } from './0002-upstreams.ts'

/** Every step from an empty file to the newest schema. `user_version` counts the steps a store has taken. */
export const migrations: readonly string[] = [start, readingOrigin, upstreams]
