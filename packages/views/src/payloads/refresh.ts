import type { RefreshFailure, RefreshScope, RefreshState, RunningRefresh } from '@svc/core/service'
import * as v from 'valibot'
import type { Catalogue } from '../messages/en/catalogue.ts'
import { sourceFailure } from '../messages/source-words.ts'
import type { Wording } from '../messages/wording.ts'
import { countSchema, instantSchema } from './wire-schema.ts'

const scopes = ['default', 'disabled-diagnostics'] as const satisfies readonly RefreshScope[]

export const refreshScopeSchema = v.pipe(
  v.picklist(scopes),
  v.description(
    '`default`: every account that is watched. `disabled-diagnostics`: each account the operator has switched off, once; it stays off.',
  ),
)

/** A body of the refresh action; a closed object. */
export const refreshRequestSchema = v.pipe(
  v.strictObject({ scope: v.optional(refreshScopeSchema, 'default') }),
  v.description('What to refresh. May be left out altogether.'),
)

export const refreshResultSchema = v.pipe(
  v.object({
    ok: v.boolean(),
    status: v.pipe(v.string(), v.description('`running`, or the slug of an error.')),
    scope: v.optional(refreshScopeSchema),
    startedAt: v.optional(v.nullable(instantSchema)),
    completedAt: v.optional(
      v.pipe(v.nullable(instantSchema), v.description('Null while running.')),
    ),
    error: v.optional(v.pipe(v.string(), v.description('Empty when there is none.'))),
  }),
  v.description('What became of asking for a refresh.'),
)

export const manualRefreshSchema = v.pipe(
  v.object({
    status: v.picklist(['idle', 'running', 'completed', 'partial', 'failed']),
    scope: v.nullable(refreshScopeSchema),
    startedAt: v.nullable(instantSchema),
    completedAt: v.nullable(instantSchema),
    queued: v.pipe(countSchema, v.description('Accounts asked about in all.')),
    done: v.pipe(
      countSchema,
      v.description('Of these, answered or given up so far; failed ones included.'),
    ),
    failed: countSchema,
    error: v.pipe(
      v.string(),
      v.description('Why the rest was not asked; empty when there is no reason to name.'),
    ),
  }),
  v.description('The manual refresh under way, or how the last one of this process ended.'),
)

/** Answer of the refresh action. */
export type RefreshResult = v.InferOutput<typeof refreshResultSchema>
export type ManualRefresh = v.InferOutput<typeof manualRefreshSchema>

/** The scope that a body asks for; null when it is none. `text` empty: the default. */
export function refreshScopeOf(text: string): RefreshScope | null {
  if (text === '') return 'default'
  try {
    const body: unknown = JSON.parse(text)
    const request = v.safeParse(refreshRequestSchema, body)
    // A list passes for an object without members.
    return request.success && !Array.isArray(body) && !repeatsMember(text)
      ? request.output.scope
      : null
  } catch {
    return null
  }
}

/** A valid body has one member at most, so a second colon outside of strings means that one is there twice. */
function repeatsMember(text: string): boolean {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length > 2
}

/** The answer while a refresh is under way. */
export function refreshResultView(
  { scope, startedAt }: RunningRefresh,
  text: Wording,
): RefreshResult {
  return {
    ok: true,
    status: 'running',
    scope,
    startedAt: text.iso(startedAt),
    completedAt: null,
    error: '',
  }
}

/** The refresh in the status. */
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
  const { status, scope, tally } = state
  return {
    status,
    scope,
    startedAt: text.iso(state.startedAt),
    completedAt: state.status === 'running' ? null : text.iso(state.completedAt),
    ...tally,
    error:
      state.status === 'running' || state.failure === null
        ? ''
        : failureText(state.failure, text.words),
  }
}

function failureText(failure: RefreshFailure, words: Catalogue): string {
  switch (failure) {
    case 'quota_off':
    case 'deadline':
      return words.queries.refreshFailures[failure]
    default:
      return sourceFailure('direct_quota', failure, words).summary
  }
}
