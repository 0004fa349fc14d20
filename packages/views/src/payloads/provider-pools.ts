import { type EvaluatedAccount, instantToIso, type Snapshot, type WindowId } from '@svc/core'
import { blockedModelsOf } from '@svc/core/account'
import type { Answer } from '@svc/core/health'
import {
  capacitiesOf,
  firstReadingsOf,
  type ProviderPool,
  poolSpansOf,
  RUNWAY_HOURS_MAX,
  sharedWindowsOf,
  type WindowCapacity,
} from '@svc/core/pool'
import * as v from 'valibot'
import { providerNames } from '../messages/names/names.ts'
import type { Wording } from '../messages/wording.ts'
import { type AnswerContext, answerSchema, providerAnswersOf, wordedAnswer } from './answer.ts'
import { bankedTotalSchema, bankedTotalView } from './banked-resets.ts'
import { capacitySchema, capacityView, nextReturnSchema, nextReturnView } from './capacity.ts'
import {
  countSchema,
  described,
  instantSchema,
  optional,
  percentSchema,
  toneSchema,
  unitsSchema,
} from './wire-schema.ts'

export const capacityUnitSchema = v.picklist(['plus', 'pro', 'accounts', 'mixed'] as const)

const { usableStaleUnits, usablePercent, tone, text, ...figureEntries } = capacitySchema.entries

export const sharedBySchema = optional(
  v.array(v.string()),
  'Ids of windows to show as one with this window, because no account is known to have more than one of them; show only the first. Omitted if there are none.',
)

const poolWindowSchema = v.object({
  id: v.string(),
  label: v.string(),
  ...figureEntries,
  // An earlier version has none of these four.
  tone: v.optional(tone),
  text: v.optional(text),
  usableStaleUnits: optional(unitsSchema, 'Part of `usableUnits` from stale readings.'),
  usablePercent: optional(
    v.nullable(percentSchema),
    '`usableUnits` in percent of `trackedUnits`; null if `percent` is null.',
  ),
  sharedBy: sharedBySchema,
  nextRecovery: v.nullable(nextReturnSchema),
})

export const providerPoolsSchema = described(
  v.array(
    v.object({
      provider: v.string(),
      label: described(v.string(), 'Display name of the provider.'),
      tone: optional(toneSchema, 'Tone of the answer.'),
      answer: optional(
        v.object({
          ...answerSchema.entries,
          shortText: described(v.string(), 'The answer in a few words.'),
        }),
        'Recommendation whether this provider can take a large job now, and how long its quota lasts.',
      ),
      unit: described(
        capacityUnitSchema,
        'Unit of the figures; units of different providers cannot be added.',
      ),
      accounts: countSchema,
      routable: countSchema,
      blocked: countSchema,
      untracked: described(
        countSchema,
        'Number of accounts whose plan does not count towards the capacity.',
      ),
      accountsRead: optional(
        countSchema,
        'Number of accounts to query that were read at least once or whose query failed.',
      ),
      accountsToRead: optional(
        countSchema,
        'Total number of accounts to query, including those already read.',
      ),
      bankedResets: bankedTotalSchema,
      ribbon: optional(
        v.array(
          v.object({
            from: instantSchema,
            to: instantSchema,
            state: described(
              v.picklist(['usable', 'risk', 'dry', 'unknown'] as const),
              '`risk`: nothing is left if the burn is at its upper quartile. `dry`: nothing is left at the expected burn; at low confidence, also at the lower quartile of the burn.',
            ),
          }),
        ),
        `Forecast of the next ${RUNWAY_HOURS_MAX} h as intervals without gaps, each with the state of the worst window.`,
      ),
      window: optional(
        v.nullable(v.string()),
        'Id of the window that limits the provider: the one that runs dry first, else the one with the least usable share; null if none is known.',
      ),
      windows: described(
        v.array(poolWindowSchema),
        'Windows that at least one account has, shortest first; empty if the vendor reports none.',
      ),
    }),
  ),
  'Pool of each provider, in display order.',
)

type ProviderPools = v.InferOutput<typeof providerPoolsSchema>

/** Last view of each snapshot, which the status and health of all its parts repeat. New usage leaves it as it is. */
const views = new WeakMap<Snapshot, { readonly of: AnswerContext; readonly pools: ProviderPools }>()

/** The pool of every provider, regardless of the requested one. */
export function providerPoolsView(snapshot: Snapshot, context: AnswerContext): ProviderPools {
  const { whole = { snapshot, context } } = context
  const made = views.get(whole.snapshot)
  const repeats = (['text', 'trends', 'trendsByProvider'] as const).every(
    (name) => made?.of[name] === whole.context[name],
  )
  if (made !== undefined && repeats) return made.pools
  const pools = poolViewsOf(whole.snapshot, whole.context)
  views.set(whole.snapshot, { of: whole.context, pools })
  return pools
}

function poolViewsOf(snapshot: Snapshot, context: AnswerContext): ProviderPools {
  const { text } = context
  const names = providerNames(snapshot.pools.map(({ provider }) => provider))
  return providerAnswersOf(snapshot, context).map(({ scope: pool, trends, answer, short }) => {
    const shared = sharedWindowsOf(pool)
    const worded = wordedAnswer(answer, pool, text)
    const windows = capacitiesOf(pool).map((capacity) => ({
      ...windowView(capacity, pool, text),
      sharedBy: shared.get(capacity.windowId)?.slice(),
    }))
    return {
      provider: pool.provider,
      label: names.get(pool.provider) ?? pool.provider,
      tone: worded.tone,
      answer: { ...worded, shortText: short },
      unit: pool.unit,
      accounts: pool.routableCount + pool.blockedCount,
      routable: pool.routableCount,
      blocked: pool.blockedCount,
      untracked: pool.untrackedCount,
      ...readingsView(pool),
      bankedResets: bankedTotalView(pool.accounts),
      ribbon: poolSpansOf(pool, trends, pool.evaluatedAt).map(({ from, to, state }) => ({
        from: instantToIso(from),
        to: instantToIso(to),
        state,
      })),
      window: limitingWindow(answer, windows),
      windows,
    }
  })
}

function limitingWindow(answer: Answer, windows: ProviderPools[number]['windows']): string | null {
  const isDated = 'lasts' in answer && ['until', 'rough'].includes(answer.lasts.kind)
  const dry = isDated ? windows.find(({ id }) => id === answer.windowId) : undefined
  const known = windows.filter(({ usablePercent }) => usablePercent !== null)
  const least = known.sort((a, b) => (a.usablePercent ?? 0) - (b.usablePercent ?? 0))[0]
  const limiting = dry ?? least
  return limiting?.sharedBy?.[0] ?? limiting?.id ?? null
}

function readingsView({ accounts }: ProviderPool) {
  const { readCount, toReadCount } = firstReadingsOf(accounts)
  return { accountsRead: readCount, accountsToRead: toReadCount }
}

function windowView(
  capacity: WindowCapacity<WindowId>,
  scope: Snapshot,
  text: Wording,
): Omit<ProviderPools[number]['windows'][number], 'sharedBy'> {
  const { windowId: id } = capacity
  const figures = capacityView(capacity, scope, text)
  return {
    id,
    label: text.words.windowLabel(id),
    ...figures,
    usableStaleUnits: figures.usableStaleUnits ?? figures.staleUnits,
    usablePercent: figures.usablePercent === undefined ? figures.percent : figures.usablePercent,
    nextRecovery: nextReturnView(scope, [capacity], text),
  }
}

export const blockedModelsSchema = optional(
  v.array(
    v.object({
      scope: described(
        v.string(),
        'First part of the id of the used-up window, for example `opus` of `opus:week`.',
      ),
      models: described(
        v.nullable(v.array(v.string())),
        'Models of the scope; null if the vendor names none.',
      ),
      until: v.nullable(instantSchema),
      reason: v.string(),
    }),
  ),
  'Models that the account cannot serve now; omitted if it serves all.',
)

/** Models an account cannot serve now; undefined if it serves all. */
export function blockedModelsView(
  account: EvaluatedAccount,
  text: Wording,
): v.InferOutput<typeof blockedModelsSchema> {
  const blocked = blockedModelsOf(account)
  if (blocked.length === 0) return undefined
  return blocked.map(({ scope, models, until, reason }) => ({
    scope,
    models: models === null ? null : [...models],
    until: until === null ? null : text.iso(until),
    reason,
  }))
}
