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
import { closedBodyOf, countSchema, described, instantSchema, optional } from './wire-schema.ts'

const scopes = ['default', 'disabled-diagnostics', 'account'] as const satisfies RefreshScope[]

export const refreshScopeSchema = described(
  v.picklist(scopes),
  'Accounts to refresh. `default`: all watched accounts. `disabled-diagnostics`: each account that the operator disabled, once; it stays disabled. ' +
    '`account`: the account with this `accountKey`, which can be refreshed this way at most once a minute.',
)

/** Request body of the refresh action; a closed object. */
export const refreshRequestSchema = described(
  v.strictObject({
    scope: v.optional(refreshScopeSchema, 'default'),
    accountKey: v.optional(
      v.pipe(
        v.string(),
        v.minLength(1),
        v.description('`selector.accountKey` of the account. Valid only with scope `account`.'),
      ),
    ),
    cancel: optional(
      v.literal(true),
      'True cancels the running refresh: queries already sent are answered, the others are not sent. Valid only without other members.',
    ),
  }),
  'Refresh to start or cancel. The body is optional.',
)

/** Fields shared by the answer of the action and the status of a refresh. */
const progress = {
  accountKey: optional(
    v.string(),
    'Key of the account for scope `account`; omitted for other scopes.',
  ),
  queued: described(countSchema, 'Total number of accounts to query.'),
  done: described(
    countSchema,
    'Number of queued accounts whose query was answered, failed or was abandoned; after a cancel, only those answered before it.',
  ),
  failed: countSchema,
  skipped: optional(
    countSchema,
    'Number of accounts not queued because they were queried recently or their vendor asked for a pause. Omitted if 0.',
  ),
  nextAskAt: optional(
    v.nullable(instantSchema),
    'Earliest time at which a skipped account may be queried; null if that needs a restart or reload. Present only with `skipped`.',
  ),
  expectedEndAt: optional(
    instantSchema,
    'Time at which the last query is expected at the permitted rate of queries. Omitted once the refresh has ended, and while no query may be sent.',
  ),
  reason: optional(
    v.string(),
    'Stable code of `error`: `cancelled`, `deadline`, `quota_off`, or the code of a source failure; for one account also `no_direct_quota` or `vendor_asks_to_wait`; `asked_lately` for one account, or if all were skipped. Omitted if there is no error.',
  ),
}

export const refreshResultSchema = described(
  v.object({
    ok: v.boolean(),
    status: described(
      v.string(),
      '`running`; after a cancel the outcome of the refresh, or `idle` if there was none; or the slug of an error.',
    ),
    scope: v.optional(refreshScopeSchema),
    startedAt: v.optional(v.nullable(instantSchema)),
    completedAt: optional(v.nullable(instantSchema), 'End of the refresh; null while it runs.'),
    error: optional(v.string(), 'Error message; empty if there is none.'),
    ...v.partial(v.object(progress)).entries,
  }),
  'State of the refresh after the request, or the error.',
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
      'Reason why the remaining accounts were not queried; empty if there is none.',
    ),
  }),
  'Running manual refresh, or the outcome of the last one of this process.',
)

/** Answer of the refresh action. */
export type RefreshResult = v.InferOutput<typeof refreshResultSchema>
export type ManualRefresh = v.InferOutput<typeof manualRefreshSchema>

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

/** The answer to an accepted refresh request: the current state of the refresh. */
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
