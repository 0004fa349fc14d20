import { servePipelineThread } from '@svc/monitor/pipeline'
import { clockOf, type StartInstant } from './program/clock.ts'

servePipelineThread((startInstant) => clockOf(startInstant as StartInstant | null))
