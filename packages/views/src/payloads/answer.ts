import { type EpochMs, instantToIso, type Snapshot } from '@svc/core'
import { type Answer, answerOf, answerTones, type Lasting } from '@svc/core/health'
import type { Trends } from '@svc/core/pool'
import * as v from 'valibot'
import { roughHours, roundedUnits, unitsText } from '../format/format.ts'
import type { Ending } from '../messages/en/answer.ts'
import { missingPiece } from '../messages/source-words.ts'
import type { Wording } from '../messages/wording.ts'
import { wireWindows } from './capacity.ts'
import { described, instantSchema, optional, toneSchema, unitsSchema } from './wire-schema.ts'

export const answerSchema = described(
  v.object({
    code: described(
      v.picklist([
        'monitor_silent',
        'not_ready',
        'proxy_down',
        'wait',
        'hurry',
        'go_short',
        'go',
      ] as const satisfies readonly Answer['code'][]),
      'First rule that applies. `monitor_silent`: no new snapshot can be made. `not_ready`: too little has been read. `proxy_down`: the proxy does not answer, or its account list is outdated. `wait`: no account is routable. `hurry`: a window runs dry within 2 h. `go_short`: within 48 h. `go`: none does, or the burn is unknown.',
    ),
    tone: toneSchema,
    text: described(v.string(), 'The answer as one sentence.'),
    at: described(
      v.nullable(instantSchema),
      'Time the answer refers to. For `go`, `go_short` and `hurry`: expected end of the quota. For `wait`: time to ask again. For `not_ready`: expected time of the first answer. Otherwise: time of the newest data. Null if unknown, beyond the forecast, or at low confidence.',
    ),
    window: optional(
      v.nullable(v.picklist(Object.values(wireWindows).map(({ name }) => name))),
      '`fiveHour` or `week`: the window that runs dry first, `fiveHour` if none does; null unless the code is `go`, `go_short` or `hurry`.',
    ),
    nextReturn: optional(
      v.nullable(v.object({ at: instantSchema, units: v.nullable(unitsSchema) })),
      'For `go`, `go_short` and `hurry`: next reset that returns quota to `window`. For `wait`: quota that becomes available at `at`. Null if unknown.',
    ),
  }),
  'Recommendation whether to start a large job now, and how long the quota lasts.',
)

/** Recommendation whether to start a big job now, as a code and as text. */
export function answerView(
  snapshot: Snapshot,
  trends: Trends,
  text: Wording,
): v.InferOutput<typeof answerSchema> {
  const answer = answerOf(snapshot, trends)
  const at = instantOf(answer)
  const next = nextReturnOf(answer)
  return {
    code: answer.code,
    tone: answerTones[answer.code],
    text: answerText(answer, snapshot, text),
    at: at === null ? null : instantToIso(at),
    window: 'windowId' in answer ? wireWindows[answer.windowId].name : null,
    nextReturn:
      next === null
        ? null
        : {
            at: instantToIso(next.at),
            units: next.units === null ? null : roundedUnits(next.units),
          },
  }
}

function nextReturnOf(
  answer: Answer,
): { readonly at: EpochMs; readonly units: number | null } | null {
  if ('nextReturn' in answer) return answer.nextReturn
  if (answer.code !== 'wait' || answer.until === null) return null
  return { at: answer.until, units: answer.units }
}

function instantOf(answer: Answer): EpochMs | null {
  switch (answer.code) {
    case 'monitor_silent':
      return answer.since
    case 'not_ready':
      return answer.firstRound?.doneAt ?? null
    case 'proxy_down':
      return answer.sampledAt
    case 'wait':
      return answer.until
    default:
      return answer.lasts.kind === 'until' ? answer.lasts.at : null
  }
}

function answerText(answer: Answer, snapshot: Snapshot, text: Wording): string {
  const { evaluatedAt: now } = snapshot
  const words = text.words.answer
  const unit = text.words.unitNames[snapshot.unit]
  const moment = (at: number | null) => (at === null ? null : text.momentText(at, now))
  const units = (count: number | null) => (count === null ? null : unitsText(count))
  switch (answer.code) {
    case 'monitor_silent':
      return words.monitorSilent(text.momentText(answer.since, now))
    case 'not_ready': {
      const { firstRound } = answer
      if (firstRound === null)
        return words.notKnown(snapshot.available ? words.noQuotaRead : missingPiece(snapshot, text))
      const { readCount, toReadCount, doneAt } = firstRound
      return words.reading({ readCount, toReadCount, doneAt: moment(doneAt) })
    }
    case 'proxy_down':
      return words.proxyDown({
        answers: answer.answers,
        address: addressOf(snapshot),
        readAt: moment(answer.sampledAt),
      })
    case 'wait':
      return words.wait({ until: moment(answer.until), units: units(answer.units), unit })
    case 'hurry':
    case 'go_short':
    case 'go':
      return words[answer.code]({
        usable: units(answer.usableUnits),
        unit,
        first: answer.first,
        ending: endingOf(answer.lasts, moment),
        nextReturn: moment(answer.nextReturn?.at ?? null),
      })
    default:
      return answer satisfies never
  }
}

function endingOf(lasts: Lasting, moment: (at: number) => string | null): Ending {
  switch (lasts.kind) {
    case 'unknown':
      return { kind: 'unknown' }
    case 'rough': {
      const [fromHours, toHours] = roughHours(lasts.fromMs, lasts.toMs)
      return { kind: 'rough', fromHours, toHours }
    }
    default:
      return { kind: lasts.kind, at: moment(lasts.at) ?? '' }
  }
}

/** Address of the proxy's account list while it fails; null if several proxies are watched. */
function addressOf({ health }: Snapshot): string | null {
  return health.sources.find(({ id }) => id === 'accounts')?.address ?? null
}
