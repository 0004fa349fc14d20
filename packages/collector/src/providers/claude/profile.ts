import { displayText } from '../../wire/display-text.ts'
import { isRecord, textFrom, type WireRecord } from '../../wire/wire-fields.ts'
import type { PlanReading, VendorAnswer } from '../contract/provider.ts'
import { documentOf } from '../contract/quota-answer.ts'

/** Reads the plan and the organisation in an `oauth/profile` answer; null if it has neither. See docs/upstream.md#claude-quota. */
export function planOf({ status, body }: VendorAnswer): PlanReading | null {
  const profile = status === 200 ? documentOf(body) : null
  if (!isRecord(profile)) return null
  const organization = isRecord(profile.organization) ? profile.organization : {}
  const plan = planOfLogin(organization) ?? planOfPerson(organization, profile.account)
  const vendorIdentity = textFrom(organization.uuid)
  return plan === null && vendorIdentity === null ? null : { plan, vendorIdentity }
}

/** The plan of the organisation that the login is for. Only the tier tells how large a Max plan is. */
function planOfLogin({ organization_type, rate_limit_tier }: WireRecord): string | null {
  const type = displayText(textFrom(organization_type) ?? '', TYPE_LENGTH_MAX).toLowerCase()
  const plan = type.replace(/^claude_/, '')
  if (PLANS_OF_ONE_SIZE.has(plan)) return plan
  const [size = null] = /max_(?:5|20)x/i.exec(textFrom(rate_limit_tier) ?? '') ?? []
  return size ?? textFrom(plan)
}

/** A person's flags come with every login of the person, also with that of a seat in a team: they count if nothing tells of the login. */
function planOfPerson({ rate_limit_tier }: WireRecord, account: unknown): string | null {
  if (textFrom(rate_limit_tier) !== null || !isRecord(account)) return null
  const { has_claude_max: hasMax, has_claude_pro: hasPro } = account
  if (hasMax === true) return 'max'
  if (hasPro === true) return 'pro'
  return hasMax === false && hasPro === false ? 'free' : null
}

const TYPE_LENGTH_MAX = 64
const PLANS_OF_ONE_SIZE = new Set(['pro', 'team', 'enterprise', 'free'])
