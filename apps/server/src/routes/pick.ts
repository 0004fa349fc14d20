import type { IncomingMessage } from 'node:http'
import type { FilteredPayload, PickQuestion } from '@svc/monitor'
import { pickBodyOf } from '@svc/views'
import { isOfOtherSite } from '../guards/refresh-auth.ts'
import { filterValuesOf, listedNamesIn } from './account-query.ts'
import { jsonBodyOf } from './quota-refresh.ts'

/** Asks the pipeline for an account. */
export type Picks = (question: PickQuestion) => Promise<FilteredPayload>

/** Answers a POST from a remembered caller. Needs no credential, because it changes no quota and nothing at the proxy. */
export async function pickFor(
  request: IncomingMessage,
  pick: Picks,
): Promise<FilteredPayload | 'forbidden_site' | 'too_large' | 'invalid_pick'> {
  if (isOfOtherSite(request.headers)) return 'forbidden_site'
  const body = await jsonBodyOf(request)
  if (body === 'too_large') return body
  const asked = body === 'not_json' ? null : pickBodyOf(body.text)
  if (asked === null) return 'invalid_pick'
  const { plan, provider, upstream, avoid, ...question } = asked
  const names = (given: typeof avoid) => (typeof given === 'string' ? listedNamesIn(given) : given)
  const filter = filterValuesOf((name) => names(asked[name]))
  return pick({ ...question, avoid: names(avoid), filter })
}
