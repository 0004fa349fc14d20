import type { Database } from '@svc/sqlite'
import { type Meta as AnyMeta, metaSteps } from '../sql/meta.ts'
import type { AtOnce } from './promised.ts'
import { runningSteps } from './run-steps.ts'

/** The store's own values. Every method throws SQLite's errors. */
export type Meta = AtOnce<AnyMeta>

export const createMeta = (db: Database): Meta => runningSteps<AnyMeta>(db, metaSteps)
