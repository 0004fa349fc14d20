import * as v from 'valibot'
import type { ProbeResult, Provider, VendorAnswer } from '../contract/provider.ts'
import { failureOf, readQuotaAnswer } from '../contract/quota-answer.ts'
import { wordsOf } from '../contract/refusal-words.ts'
import { usualPoliteness } from '../contract/usual-politeness.ts'
import { readStatusMessage, refusalIn } from './refusal.ts'
import { kimiQuotaSampleOf } from './usages-document.ts'

/** Moonshot's Kimi, by accounts of kimi.com. */
export const kimi: Provider = kimiAt({ id: 'kimi', host: 'api.kimi.com' })
/** Moonshot's Kimi, by accounts of kimi.ai. */
export const kimiAi: Provider = kimiAt({ id: 'kimi-ai', host: 'api.kimi.ai' })

function kimiAt({ id, host }: { id: 'kimi' | 'kimi-ai'; host: string }): Provider {
  return {
    id,
    endpoint: `${id}-usages`,
    politeness: usualPoliteness(id),
    // The list has neither user nor plan of these accounts.
    identityOf: () => ({ vendorAccountId: null, claimedPlan: null, subscribedUntil: null }),
    loginOf(file) {
      const parsed = v.safeParse(authFileSchema, file)
      if (!parsed.success || parsed.output.type !== id) return null
      const { access_token: bearer, disabled } = parsed.output
      return { bearer, vendorAccountId: null, disabled }
    },
    quotaRequest: ({ bearer }) => ({
      url: `https://${host}/coding/v1/usages`,
      headers: { Authorization: `Bearer ${bearer}`, Accept: 'application/json' },
    }),
    windowsOf,
    windowsFromHeaders: () => null,
    readStatusMessage,
    refusalIn,
  }
}

const authFileSchema = v.object({
  access_token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/)),
  type: v.string(),
  disabled: v.optional(v.boolean(), false),
})

/** Reads the vendor's answer to a quota request. A used-up plan may refuse the query too, which is no fault of the login. */
function windowsOf(answer: VendorAnswer): ProbeResult {
  const { status: httpStatus, body, receivedAt } = answer
  if (httpStatus === 200) return readQuotaAnswer(answer, kimiQuotaSampleOf)
  const failure = failureOf(answer)
  if (failure.kind === 'blocked') return failure
  const verdict = refusalIn({ httpStatus, body }, receivedAt)
  if (verdict?.kind === 'auth_fault' && verdict.suspected !== true)
    return { kind: 'auth', httpStatus, revoked: true }
  const namesPermission = /\b(?:scope|permission)s?\b/i.test(wordsOf(body))
  const isNotAllowed = httpStatus === 403 && verdict === null && namesPermission
  return isNotAllowed || httpStatus === 404 ? { kind: 'unavailable', httpStatus } : failure
}
