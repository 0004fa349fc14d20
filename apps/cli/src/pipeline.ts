import { servePipelineThread } from '@svc/server/pipeline'
import { clockOf, type StartInstant } from './program/clock.ts'

/** The thread of the pipeline, by the clock of the program. */
servePipelineThread((startInstant) => clockOf(startInstant as StartInstant | null))
