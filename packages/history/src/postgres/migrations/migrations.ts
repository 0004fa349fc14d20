import { start } from './0000-start.ts'
import { rollupSpace } from './0001-rollup-space.ts'

/** Steps of the schema, in order; the number of a version is that of its last step. None is ever changed. */
export const migrations: readonly string[] = [start, rollupSpace]
