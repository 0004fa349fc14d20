import { type EpochMs, instantToIso } from '@svc/core'
import { type Scheduler, schedulerStateOf, schedulerStates } from '@svc/core/service'
import * as v from 'valibot'
import type { Wording } from '../messages/wording.ts'
import { namedAt, upstreamSchema } from './upstreams.ts'
import { countSchema, described, instantSchema, toneSchema } from './wire-schema.ts'

/** A program that reads the ranking all the time. */
export const readerSchema = described(
  v.object({
    name: described(v.picklist(['scheduler']), 'The plugin of a proxy that routes by the ranking.'),
    upstream: upstreamSchema,
    version: v.string(),
    askedAt: described(instantSchema, 'Time of its last question.'),
    state: described(
      v.picklist(schedulerStates),
      'Whether requests go by the ranking. `routes`: they do. `waits`: it follows the ranking, and no request has come. `unreported`: its version does not say. `pauses`: no requests, so it does not ask. `silent`: it does not ask, and requests have come. `not_following`: it asks and cannot use the answers. `not_consulted`: requests have come, and the proxy did not ask it. `picks_nothing`: it left every attempt to the proxy. `refused_host`, `refused_upstream`: its questions are refused.',
    ),
    askedCount: described(
      countSchema,
      'Attempts that the proxy asked it about since its first question to this service.',
    ),
    pickCount: described(countSchema, 'Number of these for which it named an account.'),
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
  const { upstream, version, askedAt, askedCount, pickCount } = scheduler
  const state = schedulerStateOf(scheduler, now)
  const { what, remedy } = schedulers.states[state]
  return {
    name: 'scheduler',
    ...(upstream === undefined ? {} : { upstream }),
    version,
    askedAt: instantToIso(askedAt),
    state,
    askedCount,
    pickCount,
    tone: remedy !== undefined ? 'warn' : state === 'pauses' ? 'unknown' : 'good',
    title: namedAt(schedulers.title(version), ' · ', upstream),
    text: [what, remedy].filter((sentence) => sentence !== undefined).join(' '),
  }
}
