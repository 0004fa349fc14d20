import { isRecord, textFrom } from '../../wire/wire-fields.ts'
import type { PlanReading, VendorAnswer } from '../contract/provider.ts'
import { documentOf } from '../contract/quota-answer.ts'

/** Reads the plan and the organisation in an `oauth/profile` answer; null if it has neither. See docs/upstream.md#claude-quota. */
export function planOf({ status, body }: VendorAnswer): PlanReading | null {
  const profile = status === 200 ? documentOf(body) : null
  if (!isRecord(profile)) return null
  const organization = isRecord(profile.organization) ? profile.organization : {}
  const account = isRecord(profile.account) ? profile.account : {}
  const { has_claude_max: hasMax, has_claude_pro: hasPro } = account
  const { organization_type, rate_limit_tier, subscription_status } = organization
  const planIn = (): string | null => {
    // Only the tier tells how large the plan is.
    if (hasMax === true) return /max_(?:5|20)x/.exec(textFrom(rate_limit_tier) ?? '')?.[0] ?? 'max'
    if (hasPro === true) return 'pro'
    const type = textFrom(organization_type) ?? 'claude_free'
    if (type === 'claude_team') return subscription_status === 'active' ? 'team' : null
    if (type === 'claude_enterprise') return 'enterprise'
    // An account without its flags may have any plan.
    return type === 'claude_free' && hasMax === false && hasPro === false ? 'free' : null
  }
  const reading = { plan: planIn(), vendorIdentity: textFrom(organization.uuid) }
  return reading.plan === null && reading.vendorIdentity === null ? null : reading
}
