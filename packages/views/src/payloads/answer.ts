import { type EpochMs, instantToIso, type Snapshot } from '@svc/core'
import { type Answer, answerOf, answerTones, type Lasting } from '@svc/core/health'
import type { Trends } from '@svc/core/pool'
import * as v from 'valibot'
import { roughHours, roundedUnits, unitsText } from '../format/format.ts'
import type { Ending } from '../messages/en/answer.ts'
import { missingPiece } from '../messages/source-text.ts'
import type { Wording } from '../messages/wording.ts'
import { wireWindows } from './capacity.ts'
import { described, instantSchema, toneSchema, unitsSchema } from './wire-schema.ts'

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
      'The first that applies; see docs/rules.md#answer.',
    ),
    tone: toneSchema,
    text: described(v.string(), 'One sentence.'),
    at: described(
      v.nullable(instantSchema),
      'Of go, go_short and hurry: until when the quota lasts; of wait: when to ask again; of not_ready: when it is expected to be known; else since when nothing newer is known. Null if unknown, beyond the forecast, and at low confidence.',
    ),
    window: v.optional(
      described(
        v.nullable(v.picklist(Object.values(wireWindows).map(({ name }) => name))),
        'Of go, go_short and hurry: the window that runs dry first, by its name in capacity; fiveHour where none does. Else null.',
      ),
    ),
    nextReturn: v.optional(
      described(
        v.nullable(v.object({ at: instantSchema, units: v.nullable(unitsSchema) })),
        'Of these: the next reset that returns quota to that window; of wait: what can be spent from `at` on. Null if none is known.',
      ),
    ),
  }),
  'Whether a big job may start now, and until when.',
)

/** Whether a big job may start now, in a code and in words. */
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

/** Base address of the proxy that does not answer, which its account list is asked at; null if several proxies are watched. */
function addressOf({ health }: Snapshot): string | null {
  return health.sources.find(({ id }) => id === 'accounts')?.address ?? null
}
