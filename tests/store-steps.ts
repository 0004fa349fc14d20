import { epochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import type { TokenClasses, UsageDetail } from '@svc/core/usage'
import type { RetentionPlan } from '@svc/history'
import fc from 'fast-check'

/** One thing that happens to a store. Ages are in milliseconds before the time it happens. */
export type Step =
  | {
      readonly kind: 'record'
      readonly upstream: UpstreamName
      readonly details: readonly RequestOf[]
      readonly polled: boolean
    }
  | { readonly kind: 'mark' | 'clear'; readonly upstream: UpstreamName }
  | {
      readonly kind: 'gap'
      readonly upstream: UpstreamName
      readonly fromAge: number
      readonly length: number
    }
  | { readonly kind: 'retain'; readonly plan: RetentionPlan }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'wait'; readonly milliseconds: number }

/** A request, by the millisecond of a fixed start at which it began, so that the same one can come again. */
interface RequestOf extends Omit<UsageDetail, 'at'> {
  readonly at: number
}

export const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
export const START = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56, 789))
export const LABELLED = 'key-1'
/** Every client has a label: a fingerprint is known to the store alone. */
export const LABELS = new Map([
  [LABELLED, 'Team'],
  ['key-2', 'CI'],
  ["it's", 'Lab'],
])
/** The provider of each listed account; an account has one. */
export const LISTED = new Map([
  ['ann', 'codex'],
  ['bob', 'claude'],
  ['__proto__', 'codex'],
])
export const UPSTREAMS = ['default', 'tokyo'] as const

const request: fc.Arbitrary<RequestOf> = fc
  .record({
    ageMs: fc.oneof(
      fc.integer({ min: -HOUR_MS, max: 2 * HOUR_MS }),
      fc.integer({ min: 0, max: 3 * DAY_MS }),
      fc.integer({ min: 0, max: 40 * DAY_MS }),
      fc.constantFrom(0, 1, 60_000, HOUR_MS, DAY_MS),
    ),
    key: fc.bigInt({ min: -2n, max: 2n }),
    accountKey: fc.constantFrom('ann', 'bob', 'other:gemini', '__proto__'),
    apiName: fc.constantFrom(LABELLED, 'key-2', "it's"),
    model: fc.constantFrom('m', '模型', 'constructor'),
    tokens: fc.oneof(fc.nat(50_000), fc.constantFrom(0, 2 ** 40)),
    failed: fc.boolean(),
    namesProvider: fc.boolean(),
    latencyMs: fc.constantFrom(null, 0, 5_000),
    firstTokenMs: fc.constantFrom(null, 1, 700),
    hasClasses: fc.boolean(),
    failure: fc.constantFrom('failedAuth', 'failedLimit', 'failedVendor', 'failedOther', null),
  })
  .map(({ ageMs, hasClasses, failure, namesProvider, ...detail }) => ({
    ...detail,
    provider:
      namesProvider || detail.accountKey === 'bob'
        ? (LISTED.get(detail.accountKey) ?? 'gemini')
        : null,
    at: START - ageMs,
    classes: hasClasses ? classesOf(detail.tokens) : null,
    failure: detail.failed ? failure : null,
  }))

/** Classes that add up to so many tokens. */
function classesOf(tokens: number): TokenClasses {
  const [tokensIn, tokensCached, tokensWritten] = [
    Math.floor(tokens / 4),
    Math.floor(tokens / 6),
    Math.floor(tokens / 10),
  ]
  const tokensOut = tokens - tokensIn - tokensCached - tokensWritten
  return { tokensIn, tokensCached, tokensWritten, tokensOut }
}

const upstream = fc.constantFrom(...UPSTREAMS)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      upstream,
      details: fc.array(request, { maxLength: 8 }),
      polled: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constantFrom('mark' as const, 'clear' as const), upstream }),
  fc.record({
    kind: fc.constant('gap' as const),
    upstream,
    fromAge: fc.integer({ min: 0, max: 5 * DAY_MS }),
    length: fc.integer({ min: 0, max: DAY_MS }),
  }),
  fc.record({
    kind: fc.constant('retain' as const),
    plan: fc.record({ usageDays: fc.constantFrom(1, 3, 60), historyDays: fc.constantFrom(2, 90) }),
  }),
  fc.record({ kind: fc.constant('label' as const), label: fc.constantFrom('Team', 'CI') }),
  fc.record({ kind: fc.constant('reopen' as const) }),
  fc.record({
    kind: fc.constant('wait' as const),
    milliseconds: fc.oneof(
      fc.integer({ min: 1, max: HOUR_MS }),
      fc.integer({ min: 1, max: 3 * DAY_MS }),
    ),
  }),
)

/** What happens to a store; a batch may come again, whole or in part, in any order. */
export const walks: fc.Arbitrary<readonly Step[]> = fc
  .array(step, { minLength: 1, maxLength: 8 })
  .chain((steps) =>
    fc
      .array(fc.nat(), { maxLength: 2 })
      .map((again) => [...steps, ...again.flatMap((index) => repeated(steps, index))]),
  )

function repeated(steps: readonly Step[], index: number): readonly Step[] {
  const records = steps.filter((one) => one.kind === 'record')
  const one = records[index % Math.max(1, records.length)]
  return one === undefined ? [] : [{ ...one, details: one.details.toReversed() }]
}
