import { type Meta, metaSteps } from '../sql/meta.ts'
import { mapSteps } from '../sql/steps.ts'
import { runSteps } from './run-steps.ts'
import type { Session } from './session.ts'

/** The store's own values. Every method rejects with HistoryError. */
export const createMeta = (session: Session): Meta =>
  mapSteps<Meta>(metaSteps, (steps) => runSteps(session, steps))
