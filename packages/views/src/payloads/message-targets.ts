import { type EpochMs, instantToIso, type Tone } from '@svc/core'
import { type NotifyStanding, notifyFailures, notifyKinds } from '@svc/core/notify'
import * as v from 'valibot'
import type { Wording } from '../messages/wording.ts'
import { countSchema, described, instantSchema, toneSchema } from './wire-schema.ts'

export const messageTargetSchema = described(
  v.object({
    name: v.string(),
    kind: v.picklist(notifyKinds),
    sentCount: countSchema,
    lostCount: described(
      countSchema,
      'Number of messages given up, after an hour of attempts or because the receiver refused them.',
    ),
    waitingCount: described(countSchema, 'Number of messages waiting for their next attempt.'),
    lastSentAt: described(
      v.nullable(instantSchema),
      'Time of the last delivered message; null if none was delivered.',
    ),
    failure: described(
      v.nullable(v.picklist(notifyFailures)),
      'Reason why the last attempt failed; null if it succeeded or there was none.',
    ),
    failureSince: v.nullable(instantSchema),
    tone: toneSchema,
    text: v.string(),
  }),
  'One notification target. Counts start with the store, or with the process if there is no store.',
)

type MessageTarget = v.InferOutput<typeof messageTargetSchema>

/** A target of messages, worded as of `now`. */
export function messageTargetView(
  standing: NotifyStanding,
  now: EpochMs,
  text: Wording,
): MessageTarget {
  const { name, kind, sentCount, lostCount, waitingCount, lastSentAt, failure } = standing
  return {
    name,
    kind,
    sentCount,
    lostCount,
    waitingCount,
    lastSentAt: lastSentAt === null ? null : instantToIso(lastSentAt),
    failure: failure?.code ?? null,
    failureSince: failure === null ? null : instantToIso(failure.since),
    tone: toneOf(standing),
    text: textOf(standing, now, text),
  }
}

function toneOf({ failure, lastSentAt }: NotifyStanding): Tone {
  if (failure !== null) return 'warn'
  return lastSentAt === null ? 'unknown' : 'good'
}

function textOf(
  { lostCount, waitingCount, lastSentAt, failure }: NotifyStanding,
  now: EpochMs,
  text: Wording,
): string {
  const { notices, notifyConditions } = text.words
  return notices.sentences([
    ...(failure === null
      ? []
      : [
          notifyConditions[failure.code].summary,
          notices.failsSince(text.momentText(failure.since, now)),
        ]),
    lastSentAt === null ? notices.nothingSent : notices.lastSent(text.whenText(lastSentAt, now)),
    ...(waitingCount === 0 ? [] : [notices.waiting(waitingCount)]),
    ...(lostCount === 0 ? [] : [notices.lost(lostCount)]),
  ])
}
