import { instantToIso } from '@svc/core'
import {
  type CauseCount,
  failureStatuses,
  statusClassOf,
  type UsageFailures,
} from '@svc/core/usage'
import * as v from 'valibot'
import type { Catalogue } from '../messages/en/catalogue.ts'
import { harmlessId } from './csv.ts'
import { type NoCourseReason, noCourseReasonSchema } from './quota-course.ts'
import { countSchema, described, instantSchema, isoOrNull } from './wire-schema.ts'

/** Answer of `/api/v1/usage/failures`. */
export const usageFailuresSchema = described(
  v.object({
    available: v.boolean(),
    reason: noCourseReasonSchema,
    from: described(
      v.nullable(instantSchema),
      'Start of the first day that is counted; null unless available. Days are in UTC.',
    ),
    to: described(v.nullable(instantSchema), 'End of the counted period; null unless available.'),
    since: described(
      v.nullable(instantSchema),
      'Start of the first day with recorded causes; null if there is none. Causes are kept for 90 days.',
    ),
    ofRequests: described(
      v.nullable(countSchema),
      'Number of all requests in these days, failed or not; null if unknown.',
    ),
    failed: described(countSchema, 'Number of failed requests in `causes`.'),
    causes: described(
      v.array(
        v.object({
          provider: v.string(),
          status: described(
            v.nullable(v.pipe(v.number(), v.integer())),
            'HTTP status; null if the record has none.',
          ),
          code: described(
            v.string(),
            "The vendor's code in lower case; `none` if the answer has none, `html` if the answer is a web page, `other` for all causes beyond the 64 kept per provider.",
          ),
          class: described(
            v.nullable(v.picklist(failureStatuses)),
            'Class of the status: 401 or 403, 429, 5xx, or another status; null if unknown.',
          ),
          requests: countSchema,
          accounts: described(countSchema, 'Number of accounts with such a failure.'),
          firstAt: described(instantSchema, 'Start of the first day with such a failure.'),
          lastAt: described(instantSchema, 'Start of the last day with such a failure.'),
          meaning: described(
            v.nullable(v.string()),
            'Meaning of the code in one sentence; null if this version does not know the code.',
          ),
        }),
      ),
      'Causes, most requests first; empty unless available.',
    ),
  }),
  'Causes of failed requests, by HTTP status and vendor code. The texts of answers are not stored.',
)
/** Answer of `/api/v1/usage/failures`. */
export type UsageFailuresPayload = v.InferOutput<typeof usageFailuresSchema>

/** The answer of `/api/v1/usage/failures`. `failures`: the counts, or the reason they are missing. */
export function usageFailuresView(
  failures: UsageFailures | NoCourseReason,
  words: Catalogue,
): UsageFailuresPayload {
  const known = typeof failures === 'string' ? null : failures
  const since = known?.since ?? null
  return {
    available: known !== null,
    reason: typeof failures === 'string' ? failures : null,
    from: known && instantToIso(known.span.from),
    to: known && instantToIso(known.span.to),
    since: isoOrNull(since),
    ofRequests: known?.ofRequests ?? null,
    failed: known?.failed ?? 0,
    causes: (known?.causes ?? []).map((cause) => causeView(cause, words)),
  }
}

function causeView(
  { provider, status, code, requests, accounts, firstDay, lastDay }: CauseCount,
  { failureCodes }: Catalogue,
): UsageFailuresPayload['causes'][number] {
  return {
    provider: harmlessId(provider),
    status: status === 0 ? null : status,
    code,
    class: statusClassOf({ status }),
    requests,
    accounts,
    firstAt: instantToIso(firstDay),
    lastAt: instantToIso(lastDay),
    meaning: Object.hasOwn(failureCodes, code) ? (failureCodes[code] ?? null) : null,
  }
}
