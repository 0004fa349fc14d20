import { type EpochMs, instantToIso } from '@svc/core'
import { type Scheduler, schedulerStateOf, schedulerStates } from '@svc/core/service'
import * as v from 'valibot'
import type { Wording } from '../messages/wording.ts'
import { namedAt, upstreamSchema } from './upstreams.ts'
import { countSchema, described, instantSchema, toneSchema } from './wire-schema.ts'

/** A program that reads the ranking all the time. */
export const readerSchema = described(
  v.object({
    name: described(
      v.picklist(['scheduler']),
      'Kind of client: `scheduler` is the proxy plugin that routes by the ranking.',
    ),
    upstream: upstreamSchema,
    version: v.string(),
    askedAt: described(instantSchema, 'Time of its last request.'),
    state: described(
      v.picklist(schedulerStates),
      "Whether requests are routed by the ranking. `routes`: they are. `waits`: the plugin follows the ranking, but no request has come. `unreported`: this plugin version does not report it. `pauses`: no requests come, so the plugin does not ask. `silent`: requests have come, but the plugin does not ask. `not_following`: the plugin asks but cannot use the answers. `not_consulted`: requests have come, but the proxy did not ask the plugin. `picks_nothing`: the plugin left every attempt to the proxy. `refused_host`, `refused_upstream`: the monitor refuses the plugin's requests.",
    ),
    askedCount: described(
      countSchema,
      "Number of attempts for which the proxy asked the plugin, since the plugin's first request to this service.",
    ),
    pickCount: described(
      countSchema,
      'Number of those attempts for which the plugin named an account.',
    ),
    tone: toneSchema,
    title: v.string(),
    text: v.string(),
  }),
  'A client that polls the ranking, identified by its `User-Agent`.',
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
