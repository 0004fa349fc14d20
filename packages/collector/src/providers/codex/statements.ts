import { FLAG, FLAG_OF_REFUSAL, type Statements, wordOf } from '../contract/statements.ts'

/** Slots of the windows of a limit. Only their length tells which window one is. */
export const SLOTS = ['primary', 'secondary', 'tertiary']

/** Types that name a slot: they say which window a refusal means, and nothing without one. */
const slotByType = new Map(
  SLOTS.flatMap((slot) => [slot, `${slot}_window`].map((type) => [type, slot])),
)
const slotTypes = Object.fromEntries(
  [...slotByType.keys()].map((type) => [type, 'nothing' as const]),
)

/** The vendor's words about one limit, in answers and, with hyphens, in headers. See docs/upstream.md#codex-quota. */
export const statements = {
  allowed: FLAG,
  limit_reached: FLAG_OF_REFUSAL,
  rate_limit_reached_type: {
    ...slotTypes,
    rate_limit_reached: 'refused',
    workspace_owner_credits_depleted: 'spend',
    workspace_member_credits_depleted: 'spend',
    workspace_owner_usage_limit_reached: 'spend',
    workspace_member_usage_limit_reached: 'spend',
  },
} as const satisfies Statements

/** The slot that a reached type names; undefined for none. */
export function slotNamedBy(fieldOf: (field: string) => unknown): string | undefined {
  return slotByType.get(wordOf(fieldOf('rate_limit_reached_type')))
}

/** Headers without a word about quota. Credits may still pay for requests: shown by the vendor, inferred by nobody. */
export const ignoredHeaders: ReadonlySet<string> = new Set([
  'active-limit',
  'credits-balance',
  'credits-has-credits',
  'credits-unlimited',
  'turn-state',
])

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Fields of each part of an answer; others are counted as unknown. */
export const knownFields = {
  answer: names(
    'user_id account_id email plan_type rate_limit code_review_rate_limit additional_rate_limits rate_limit_reset_credits credits spend_control rate_limit_reached_type promo referral_beacon',
  ),
  limit: names(
    'allowed limit_reached individual_limit primary_window secondary_window tertiary_window',
  ),
  extraLimit: names('limit_name metered_feature rate_limit'),
  window: names(
    'used_percent limit_window_seconds reset_after_seconds reset_at window_usage_tokens window_usage_cost',
  ),
}
