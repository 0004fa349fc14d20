import type {
  EndedRefresh,
  RefreshFailure,
  RefreshScope,
  RefreshState,
  RefreshTarget,
  RunningRefresh,
} from '@svc/core/service'
import * as v from 'valibot'
import { sourceFailure } from '../messages/source-words.ts'
import type { Wording } from '../messages/wording.ts'
import { closedBodyOf } from './closed-body.ts'
import { countSchema, described, instantSchema } from './wire-schema.ts'

const scopes = ['default', 'disabled-diagnostics', 'account'] as const satisfies RefreshScope[]

export const refreshScopeSchema = described(
  v.picklist(scopes),
  '`default`: every account that is watched. `disabled-diagnostics`: each account the operator has switched off, once; it stays off. ' +
    '`account`: the one of `accountKey`; the vendor is asked about it at most once a minute in this way.',
)

/** Body of the refresh action; a closed object. */
export const refreshRequestSchema = described(
  v.strictObject({
    scope: v.optional(refreshScopeSchema, 'default'),
    accountKey: v.optional(
      v.pipe(
        v.string(),
        v.minLength(1),
        v.description('`selector.accountKey` of the account. Goes with scope `account` alone.'),
      ),
    ),
    cancel: v.optional(
      described(
        v.literal(true),
        'Ends the refresh under way instead: queries that are under way are answered, the others are not sent. Stands alone.',
      ),
    ),
  }),
  'What to refresh. May be left out altogether.',
)

/** Fields shared by the answer of the action and the status of a refresh. */
const progress = {
  accountKey: v.optional(
    described(v.string(), 'The account of scope `account`; left out for the others.'),
  ),
  queued: described(countSchema, 'Accounts asked about in all.'),
  done: described(
    countSchema,
    'Of these, answered or given up so far; failed ones included. After a cancel, those that were answered before it.',
  ),
  failed: countSchema,
  skipped: v.optional(
    described(
      countSchema,
      'Accounts left out because their vendor was asked lately or wants no queries; not among `queued`. Left out when there is none.',
    ),
  ),
  nextAskAt: v.optional(
    described(
      v.nullable(instantSchema),
      'When the first of those skipped may be asked about; null where that is not before a restart or a reload. Goes with `skipped`.',
    ),
  ),
  expectedEndAt: v.optional(
    described(
      instantSchema,
      'When all will be asked, as the budget of queries and their pace allow. Left out once it has ended, and while no query may be sent.',
    ),
  ),
  reason: v.optional(
    described(
      v.string(),
      'Stable code of `error`: `cancelled`, `deadline`, `quota_off`, of one account `no_direct_quota` or `vendor_asks_to_wait`, `asked_lately` of one account or when all were skipped, or the failure of a source. Left out when there is none.',
    ),
  ),
}

export const refreshResultSchema = described(
  v.object({
    ok: v.boolean(),
    status: described(
      v.string(),
      '`running`; after a cancel how the refresh has ended, `idle` when there was none; or the slug of an error.',
    ),
    scope: v.optional(refreshScopeSchema),
    startedAt: v.optional(v.nullable(instantSchema)),
    completedAt: v.optional(described(v.nullable(instantSchema), 'Null while running.')),
    error: v.optional(described(v.string(), 'Empty when there is none.')),
    ...v.partial(v.object(progress)).entries,
  }),
  'What became of asking for a refresh.',
)

export const manualRefreshSchema = described(
  v.object({
    status: v.picklist(['idle', 'running', 'completed', 'partial', 'failed']),
    scope: v.nullable(refreshScopeSchema),
    startedAt: v.nullable(instantSchema),
    completedAt: v.nullable(instantSchema),
    ...progress,
    error: described(
      v.string(),
      'Why the rest was not asked; empty when there is no reason to name.',
    ),
  }),
  'The manual refresh under way, or how the last one of this process ended.',
)

/** Answer of the refresh action. */
export type RefreshResult = v.InferOutput<typeof refreshResultSchema>
export type ManualRefresh = v.InferOutput<typeof manualRefreshSchema>

/** A valid request to the refresh action. */
export type RefreshRequest =
  | { readonly kind: 'begin'; readonly target: RefreshTarget }
  | { readonly kind: 'cancel' }

/** Parses the body of a refresh request; null if it is invalid. An empty body means the default scope. */
export function refreshRequestOf(text: string): RefreshRequest | null {
  if (text === '') return { kind: 'begin', target: { scope: 'default' } }
  const request = closedBodyOf(refreshRequestSchema, text)
  if (request === null) return null
  const { scope, accountKey, cancel } = request.body
  if (cancel) return request.memberCount === 1 ? { kind: 'cancel' } : null
  if (scope !== 'account')
    return accountKey === undefined ? { kind: 'begin', target: { scope } } : null
  return accountKey === undefined ? null : { kind: 'begin', target: { scope, accountKey } }
}

/** The answer to an accepted request: the current state of the refresh. */
export function refreshResultView(state: RefreshState, text: Wording): RefreshResult {
  const { scope, ...others } = manualRefreshView(state, text)
  return { ok: true, ...(scope === null ? {} : { scope }), ...others }
}

/** The refresh as shown in the status. */
export function manualRefreshView(state: RefreshState, text: Wording): ManualRefresh {
  if (state.status === 'idle') {
    return {
      status: 'idle',
      scope: null,
      startedAt: null,
      completedAt: null,
      queued: 0,
      done: 0,
      failed: 0,
      error: '',
    }
  }
  const { status, target, tally } = state
  const { skipped, ...counts } = tally
  const isRunning = state.status === 'running'
  const failure = isRunning ? null : state.failure
  const expectedEndAt = isRunning ? state.expectedEndAt : null
  return {
    status,
    scope: target.scope,
    ...(target.scope === 'account' ? { accountKey: target.accountKey } : {}),
    startedAt: text.iso(state.startedAt),
    completedAt: isRunning ? null : text.iso(state.completedAt),
    ...counts,
    ...(skipped === undefined
      ? {}
      : {
          skipped: skipped.count,
          nextAskAt: skipped.nextAskAt === null ? null : text.iso(skipped.nextAskAt),
        }),
    ...(expectedEndAt === null ? {} : { expectedEndAt: text.iso(expectedEndAt) }),
    ...(failure === null ? {} : { reason: failure }),
    error: failure === null ? '' : failureText(failure, state, text),
  }
}

function failureText(
  failure: RefreshFailure,
  { startedAt, tally: { skipped } }: RunningRefresh | EndedRefresh,
  text: Wording,
): string {
  const { words } = text
  switch (failure) {
    case 'asked_lately': {
      if (skipped === undefined) return words.queries.refreshFailures.asked_lately
      const { nextAskAt } = skipped
      return words.queries.askedLately(
        nextAskAt === null ? null : text.momentText(nextAskAt, startedAt),
      )
    }
    case 'quota_off':
    case 'deadline':
    case 'cancelled':
    case 'no_direct_quota':
    case 'vendor_asks_to_wait':
      return words.queries.refreshFailures[failure]
    default:
      return sourceFailure('direct_quota', failure, words).summary
  }
}
