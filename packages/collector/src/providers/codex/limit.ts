import { type EpochMs, plusMs, type QuotaSample, type WindowReading, windowIdOf } from '@svc/core'
import { refusedWindows } from '@svc/core/account'
import { instantFrom, numberFrom } from '../../wire/wire-fields.ts'
import { leastLeftOfEach, percentLeft } from '../contract/quota-answer.ts'
import {
  FLAG,
  FLAG_OF_REFUSAL,
  type QuotaStatement,
  type Statements,
  statedIn,
  statementIn,
  wordOf,
} from '../contract/statements.ts'

/** Slots of a limit's windows. Only the length identifies a window. */
export const SLOTS = ['primary', 'secondary', 'tertiary']

/** Reached types that name a slot. They tell which window a refusal concerns, and mean nothing without a refusal. */
const slotByType = new Map(
  SLOTS.flatMap((slot) => [slot, `${slot}_window`].map((type) => [type, slot])),
)
const slotTypes = Object.fromEntries(
  [...slotByType.keys()].map((type) => [type, 'nothing' as const]),
)

/** The vendor's statements about one limit, in answers and, with hyphens, in headers. See docs/upstream.md#codex-quota. */
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

/** The slot named by a reached type; undefined for none. */
function slotNamedBy(fieldOf: (field: string) => unknown): string | undefined {
  return slotByType.get(wordOf(fieldOf('rate_limit_reached_type')))
}

/** Headers that say nothing about quota. Whether credits still pay for requests is only shown by the vendor, never inferred. */
export const ignoredHeaders: ReadonlySet<string> = new Set([
  'active-limit',
  'credits-balance',
  'credits-has-credits',
  'credits-unlimited',
  'turn-state',
])

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Known fields of each part of an answer; all others are counted as unknown. */
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

/** Value of a field by its name in answers; headers use the same names with hyphens. */
type FieldOf = (field: string) => unknown

/** A limit of the account, a model or a feature, from an answer or from headers. */
export interface WireLimit {
  /** Prefix of its windows' ids; empty for the account's own limit. */
  readonly scope: string
  readonly label?: string
  readonly windows: readonly { readonly slot: string; readonly fieldOf: FieldOf }[]
  readonly fieldOf: FieldOf
}

const FEATURE_LENGTH_MAX = 48
/** Longest window and longest time to a reset; larger values are misread numbers. */
const PERIOD_SECONDS_MAX = 400 * 86_400
/** Maximum number of windows of one sample. */
const WINDOWS_MAX = 64

/** The fields of a sample that are derived from its limits, in answers and headers alike. The first limit is the account's own. */
export function readLimits(limits: readonly WireLimit[], sampledAt: EpochMs) {
  const read = limits.map((limit) => readLimit(limit, sampledAt))
  const main = read[0]?.statement ?? null
  const spendReached: QuotaSample['spendReached'] =
    main?.spendReached === true ? { resetAt: null } : null
  return {
    windows: leastLeftOfEach(read.flatMap(({ windows }) => windows)).slice(0, WINDOWS_MAX),
    unreadableWindowCount: read[0]?.unreadableWindowCount ?? 0,
    ...statedIn(main),
    spendReached,
    unknownNames: read.flatMap(({ statement }) => statement.unknownNames),
  }
}

interface LimitReading {
  readonly windows: readonly WindowReading[]
  readonly unreadableWindowCount: number
  readonly statement: QuotaStatement
}

/** Reads one limit. Its windows are named by their length, never by their slot. */
function readLimit(
  { scope, label, windows, fieldOf }: WireLimit,
  sampledAt: EpochMs,
): LimitReading {
  const said = statementIn(statements, fieldOf)
  const unknownNames = [...said.unknownNames]
  const sized = windows.flatMap(({ slot, fieldOf: of }) => {
    const periodSeconds =
      numberFrom(of('limit_window_seconds')) ?? 60 * (numberFrom(of('window_minutes')) ?? 0)
    if (periodSeconds < 1 || periodSeconds > PERIOD_SECONDS_MAX) {
      unknownNames.push(`${slot}_window`)
      return []
    }
    const isRefused = statementIn(statements, of).word === 'refused'
    const percent = isRefused ? 0 : percentLeft(numberFrom(of('used_percent')))
    const id = [scope, windowIdOf(periodSeconds)].filter((part) => part !== '').join(':')
    const mark = label === undefined ? {} : { label }
    return {
      slot,
      isRefused,
      id,
      periodSeconds,
      percent,
      resetAt: resetAtIn(of, sampledAt, periodSeconds),
      ...mark,
    }
  })
  const isRefused = said.word === 'refused' || sized.some((window) => window.isRefused)
  // A refusal without a figure means the window whose figure is missing, unless another one is used up.
  const missing = isRefused && sized.every(({ percent }) => percent !== 0) ? 0 : null
  const read = sized.flatMap(({ slot, isRefused: _own, percent, ...window }) => {
    const left = percent ?? missing
    return left === null ? [] : { slot, ...window, percent: left }
  })
  const named = read.find(({ slot }) => slot === slotNamedBy(fieldOf))?.id ?? null
  const meant = (window: (typeof read)[number]) => ({ ...window, percent: 0 })
  // Which window of the account itself is meant, no answer says alone: that is for the rules to find, unless it is named.
  const isPlaced = isRefused && (scope !== '' || named !== null)
  const placed = isPlaced ? refusedWindows(read, meant, named) : read
  const bare = { id: `${scope}:limit`, periodSeconds: null, percent: 0, resetAt: null }
  return {
    windows:
      isPlaced && placed.length === 0
        ? [{ ...bare, ...(label === undefined ? {} : { label }) }]
        : placed.map(({ slot: _slot, ...window }) => window),
    unreadableWindowCount: windows.length - read.length,
    statement: { ...said, unknownNames, ...(isRefused && { word: 'refused' }) },
  }
}

/** The name of a model or feature as part of an id; empty if no usable characters remain. */
export function featureSlugOf(name: string): string {
  const words = name.slice(0, FEATURE_LENGTH_MAX).toLowerCase()
  return words.replace(/[^a-z0-9_]+/g, '-').replace(/^-|-$/g, '')
}

/** The reset given for a window, as an instant or else as seconds from now; null if it is missing or impossible. */
export function resetAtIn(
  fieldOf: FieldOf,
  sampledAt: EpochMs,
  secondsMax = PERIOD_SECONDS_MAX,
): EpochMs | null {
  const [resetAt, after] = [
    instantFrom(fieldOf('reset_at')),
    numberFrom(fieldOf('reset_after_seconds')),
  ]
  if (resetAt !== null && resetAt <= plusMs(sampledAt, PERIOD_SECONDS_MAX * 1000)) return resetAt
  if (after === null || after < 0 || after > secondsMax) return null
  return instantFrom(plusMs(sampledAt, after * 1000))
}
