import { type EpochMs, instantToIso } from '@svc/core'
import { isAsking, type Scheduler } from '@svc/core/service'
import * as v from 'valibot'
import type { Wording } from '../messages/wording.ts'
import { namedAt, upstreamSchema } from './upstreams.ts'
import { described, instantSchema, toneSchema } from './wire-schema.ts'

/** A program that reads the ranking all the time. */
export const readerSchema = described(
  v.object({
    name: described(v.picklist(['scheduler']), 'The plugin of a proxy that routes by the ranking.'),
    upstream: upstreamSchema,
    version: v.string(),
    askedAt: described(instantSchema, 'When it last asked.'),
    tone: toneSchema,
    title: v.string(),
    text: v.string(),
  }),
  'A program that reads the ranking all the time, known by its `User-Agent`.',
)

type Reader = v.InferOutput<typeof readerSchema>

/** A scheduler, worded as of `now`. */
export function schedulerView(
  scheduler: Scheduler,
  now: EpochMs,
  { words: { schedulers } }: Wording,
): Reader {
  const { upstream, version, askedAt } = scheduler
  const asks = isAsking(scheduler, now)
  return {
    name: 'scheduler',
    ...(upstream === undefined ? {} : { upstream }),
    version,
    askedAt: instantToIso(askedAt),
    tone: asks ? 'good' : 'unknown',
    title: namedAt(schedulers.title(version), ' · ', upstream),
    text: asks ? schedulers.asks : schedulers.pauses,
  }
}
