import { servePipelineThread } from '@svc/monitor/pipeline'
import { clockOf, type StartInstant } from './program/clock.ts'

/** The pipeline's thread, with the clock of the program. */
servePipelineThread((startInstant) => clockOf(startInstant as StartInstant | null))
