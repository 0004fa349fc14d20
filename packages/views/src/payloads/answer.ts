import { type EpochMs, epochMs, instantToIso, type Snapshot } from '@svc/core'
import { type Answer, answerOf, answerTone, type Lasting } from '@svc/core/health'
import { noTrends, type ProviderPool, poolsInScope, trendsOf } from '@svc/core/pool'
import * as v from 'valibot'
import { roughHours, roundedUnits, unitsText } from '../format/format.ts'
import type { Ending } from '../messages/en/answer.ts'
import { providerNames } from '../messages/names/names.ts'
import { missingPiece } from '../messages/source-words.ts'
import type { Wording } from '../messages/wording.ts'
import { wireWindows } from './capacity.ts'
import type { UsageContext } from './view-context.ts'
import {
  described,
  instantSchema,
  isoOrNull,
  optional,
  toneSchema,
  unitsSchema,
} from './wire-schema.ts'

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
    atLeast: optional(
      v.literal(true),
      'True if the usable quota named is a lower bound, because too much was not read; omitted otherwise.',
    ),
    asOf: optional(
      instantSchema,
      'Time of the readings, if an earlier process made them and the proxy was not reached yet; otherwise omitted.',
    ),
    nextReturn: optional(
      v.nullable(v.object({ at: instantSchema, units: v.nullable(unitsSchema) })),
      'For `go`, `go_short` and `hurry`: next reset that returns quota to `window`. For `wait`: quota that becomes available at `at`. Null if unknown.',
    ),
  }),
  'Recommendation whether to start a large job now, and how long the quota lasts.',
)

type WireAnswer = v.InferOutput<typeof answerSchema>
/** Inputs of an answer in addition to the snapshot. */
export type AnswerContext = Pick<UsageContext, 'text'> &
  Partial<Pick<UsageContext, 'trends' | 'trendsByProvider' | 'whole'>>

/** Recommendation whether to start a big job now, as a code and as text. */
export function answerView(snapshot: Snapshot, context: AnswerContext): WireAnswer {
  const answer = answerOf(snapshot, context.trends ?? noTrends)
  const { code } = answer
  const isOfAll = !snapshot.available || code === 'monitor_silent' || code === 'proxy_down'
  return snapshot.unit !== 'mixed' || isOfAll
    ? wordedAnswer(answer, snapshot, context.text)
    : answerOfSeveral(snapshot, context)
}

/** The answer for each provider, in display order, with its pool as a snapshot of its own and the answer in a few words. */
export function providerAnswersOf(
  snapshot: Snapshot,
  { text, trends: own = noTrends, trendsByProvider = new Map() }: AnswerContext,
  pools: readonly ProviderPool[] = snapshot.pools,
) {
  const trendsIn = ({ provider }: ProviderPool) =>
    provider === snapshot.provider ? own : trendsOf(trendsByProvider, provider)
  return pools.map((pool) => {
    const trends = trendsIn(pool)
    const scope = { ...snapshot, ...pool }
    const answer = answerOf(scope, trends)
    return { scope, trends, answer, short: shortText(answer, scope, text) }
  })
}

/** Names of most providers in the answer for several. */
const ABLE_NAMED_MAX = 3
const OTHERS_NAMED_MAX = 2
/** Codes of a pool that can work, best first. */
const ABLE = ['go', 'go_short', 'hurry'] as const

type ProviderAnswer = ReturnType<typeof providerAnswersOf>[number]

function answerOfSeveral(snapshot: Snapshot, context: AnswerContext): WireAnswer {
  const { text } = context
  const names = providerNames(snapshot.pools.map(({ provider }) => provider))
  const all = providerAnswersOf(snapshot, context, poolsInScope(snapshot))
  const isAble = ({ answer: { code } }: ProviderAnswer) => ABLE.some((able) => able === code)
  const able = all.filter(isAble)
  const others = all.filter((one) => !isAble(one))
  const nameOf = ({ scope: { provider } }: ProviderAnswer) => names.get(provider) ?? provider
  const told = (one: ProviderAnswer) => `${nameOf(one)} ${one.short}`
  const isTimed = ({ answer }: ProviderAnswer) =>
    !('lasts' in answer) || answer.lasts.kind !== 'unknown'
  const waits = others.flatMap(({ answer }) =>
    answer.code === 'wait' && answer.until !== null ? [answer.until] : [],
  )
  const asOf = all.map(({ answer }) => asOfIn(answer)).find((at) => at !== null) ?? null
  const code =
    ABLE.find((best) => able.some(({ answer }) => answer.code === best)) ??
    (others.some(({ answer }) => answer.code === 'wait') ? 'wait' : 'not_ready')
  return {
    code,
    tone: answerTone(code, asOf),
    text: datedText(
      text.words.answer.several({
        count: all.length,
        ableCount: able.length,
        able: able.slice(0, ABLE_NAMED_MAX).map((one) => (isTimed(one) ? told(one) : nameOf(one))),
        others: others.slice(0, OTHERS_NAMED_MAX).map(told),
      }),
      asOf,
      snapshot,
      text,
    ),
    ...asOfView(asOf),
    at: code === 'wait' && waits.length > 0 ? instantToIso(epochMs(Math.min(...waits))) : null,
    window: null,
    nextReturn: null,
  }
}

/** An answer as a code and as text. */
export function wordedAnswer(answer: Answer, snapshot: Snapshot, text: Wording): WireAnswer {
  const at = instantOf(answer)
  const next = nextReturnOf(answer)
  const asOf = asOfIn(answer)
  return {
    code: answer.code,
    tone: answerTone(answer.code, asOf),
    text: datedText(answerText(answer, snapshot, text), asOf, snapshot, text),
    at: isoOrNull(at),
    window: 'windowId' in answer ? wireWindows[answer.windowId].name : null,
    ...('atLeast' in answer && answer.atLeast ? { atLeast: true } : {}),
    ...asOfView(asOf),
    nextReturn:
      next === null
        ? null
        : {
            at: instantToIso(next.at),
            units: next.units === null ? null : roundedUnits(next.units),
          },
  }
}

const asOfIn = (answer: Answer) => ('asOf' in answer ? answer.asOf : null)
const asOfView = (asOf: EpochMs | null) => (asOf === null ? {} : { asOf: instantToIso(asOf) })

/** A sentence with the time of the readings, if they are of an earlier process. */
function datedText(
  sentence: string,
  asOf: EpochMs | null,
  { evaluatedAt }: Snapshot,
  text: Wording,
): string {
  return asOf === null
    ? sentence
    : text.words.answer.dated(sentence, text.momentText(asOf, evaluatedAt))
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
      return words.reading({ ...firstRound, doneAt: moment(firstRound.doneAt) })
    }
    case 'proxy_down':
      return words.proxyDown({
        answers: answer.answers,
        address: addressOf(snapshot),
        readAt: moment(answer.sampledAt),
        usable:
          answer.usableUnits === null || snapshot.unit === 'mixed'
            ? null
            : `${unitsText(answer.usableUnits)} ${unit}`,
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
        atLeast: answer.atLeast,
        round: answer.firstRound && {
          ...answer.firstRound,
          doneAt: moment(answer.firstRound.doneAt),
        },
      })
    default:
      return answer satisfies never
  }
}

function shortText(answer: Answer, { evaluatedAt: now }: Snapshot, text: Wording): string {
  const { short } = text.words.answer
  const moment = (at: number) => text.momentText(at, now)
  switch (answer.code) {
    case 'monitor_silent':
      return short.notKnown
    case 'not_ready':
      return answer.firstRound === null ? short.notKnown : short.beingRead
    case 'proxy_down':
      return short.proxyDown
    case 'wait':
      return short.wait(answer.until === null ? null : moment(answer.until))
    case 'hurry':
      return short.dry(endingOf(answer.lasts, moment))
    case 'go_short':
    case 'go':
      return short.going(endingOf(answer.lasts, moment))
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
