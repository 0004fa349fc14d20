import * as v from 'valibot'
import { displayText } from '../../wire/display-text.ts'
import { wireInstant, wireText } from '../../wire/wire-fields.ts'
import type { AccountIdentity, StoredLogin } from '../contract/provider.ts'

const PLAN_LENGTH_MAX = 64
const HEADER_SAFE_ID = /^[\x21-\x7e]{1,128}$/

const idTokenSchema = v.object({
  chatgpt_account_id: wireText,
  plan_type: wireText,
  chatgpt_subscription_active_until: wireInstant,
})
const entrySchema = v.object({ id_token: v.fallback(v.nullable(idTokenSchema), null) })

/** Reads the parts of the login token that the proxy shows. */
export function identityOf(entry: unknown): AccountIdentity {
  const parsed = v.safeParse(entrySchema, entry)
  const idToken = parsed.success ? parsed.output.id_token : null
  const id = idToken?.chatgpt_account_id ?? ''
  return {
    vendorAccountId: HEADER_SAFE_ID.test(id) ? id : null,
    claimedPlan:
      idToken?.plan_type == null ? null : displayText(idToken.plan_type, PLAN_LENGTH_MAX),
    subscribedUntil: idToken?.chatgpt_subscription_active_until ?? null,
  }
}

/** The token is only ever sent, never renewed: refresh tokens are single use, and a second refresher logs the account out. */
const authFileSchema = v.object({
  access_token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/)),
  account_id: v.optional(v.nullable(v.pipe(v.string(), v.regex(HEADER_SAFE_ID)))),
  type: v.optional(v.literal('codex')),
  disabled: v.optional(v.boolean(), false),
})

/** Reads the login in an auth file; null if it has none or is another provider's. */
export function loginOf(file: unknown): StoredLogin | null {
  const parsed = v.safeParse(authFileSchema, file)
  if (!parsed.success) return null
  const { access_token, account_id, disabled } = parsed.output
  return { bearer: access_token, vendorAccountId: account_id ?? null, disabled }
}
