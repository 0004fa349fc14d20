import { type AccountEvidence, accountNamed, type EpochMs, epochMs } from '@svc/core'
import { type AskedAccount, BANKED_EXPIRIES_MAX } from '@svc/core/account'
import type { RememberedAccount } from '@svc/core/pool'
import { ASSUMED_PROVIDER, DEFAULT_UPSTREAM } from '@svc/core/service'
import * as v from 'valibot'

export const text = v.pipe(v.string(), v.maxLength(1024))
export const instant = v.pipe(
  v.number(),
  v.integer(),
  v.transform((milliseconds): EpochMs => epochMs(milliseconds)),
)
const instantOrNull = v.nullable(instant)
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const percent = v.pipe(v.number(), v.minValue(0), v.maxValue(100))

const flag = v.exactOptional(v.boolean())
const authFault = v.object({
  kind: v.literal('auth_fault'),
  code: text,
  deactivated: v.boolean(),
  suspected: flag,
})
const quota = v.object({ kind: v.literal('quota'), planUsedUp: flag })
const usageLimit = v.object({
  kind: v.literal('usage_limit'),
  resetsAt: instant,
  observedAt: instantOrNull,
})
const messageSchema = v.variant('kind', [
  v.object({ kind: v.picklist(['none', 'blocked', 'other']) }),
  quota,
  authFault,
  usageLimit,
])

const verdictSchema = v.object({
  origin: v.picklist(['list', 'record']),
  at: instant,
  firstAt: v.exactOptional(instant),
  message: v.variant('kind', [
    v.object({ kind: v.literal('other') }),
    quota,
    authFault,
    usageLimit,
  ]),
  retryAt: instantOrNull,
  inARow: v.pipe(v.number(), v.integer(), v.minValue(1)),
})
const accountSchema = v.object({
  provider: v.optional(text, ASSUMED_PROVIDER),
  upstream: v.optional(text, DEFAULT_UPSTREAM),
  selector: v.object({ authName: text, authIndex: text, accountKey: text }),
  title: text,
  email: v.nullable(text),
  claimedPlan: v.nullable(text),
  subscribedUntil: v.optional(instantOrNull, null),
  upstreamStatus: v.picklist([
    'active',
    'error',
    'disabled',
    'pending',
    'refreshing',
    'invalid',
    'unknown',
  ]),
  operatorDisabled: v.boolean(),
  supportsQuota: flag,
  priority: v.exactOptional(v.nullable(v.pipe(v.number(), v.integer()))),
  unavailable: v.boolean(),
  message: messageSchema,
  messageAt: instantOrNull,
  nextRetryAt: instantOrNull,
  modifiedAt: instantOrNull,
  lastSuccessAt: instantOrNull,
  provenAt: v.exactOptional(instantOrNull),
  // A verdict unknown to this version becomes null; the account stays.
  verdict: v.exactOptional(v.fallback(v.nullable(verdictSchema), null)),
})
const sampleSchema = v.object({
  origin: v.picklist(['direct', 'headers', 'error-body', 'status-message']),
  sampledAt: instant,
  plan: v.nullable(text),
  windows: v.pipe(
    v.array(
      v.object({
        id: text,
        periodSeconds: v.nullable(v.pipe(v.number(), v.finite())),
        percent,
        resetAt: instantOrNull,
        note: v.exactOptional(v.picklist(['derived', 'sources_disagree'])),
        label: v.exactOptional(text),
        models: v.exactOptional(v.array(text)),
        blocksNothing: v.exactOptional(v.literal(true)),
      }),
    ),
    v.maxLength(64),
  ),
  unreadableWindowCount: count,
  limitReached: v.boolean(),
  allowed: v.exactOptional(v.literal(true)),
  unknownNames: v.exactOptional(v.pipe(v.array(text), v.maxLength(64))),
  spendReached: v.nullable(v.object({ resetAt: instantOrNull })),
  reportsNone: flag,
  vendorIdentity: v.exactOptional(text),
})
const askedEvidenceEntries = {
  probeFailure: v.nullable(
    v.object({
      at: instant,
      kind: v.picklist(['auth', 'blocked', 'unavailable', 'throttled', 'failed']),
      httpStatus: v.nullable(count),
      inARow: count,
      firstAt: v.exactOptional(instant),
    }),
  ),
  refusedLogin: v.nullable(
    v.object({
      inARow: count,
      firstAt: v.exactOptional(instant),
      lastAt: instant,
      httpStatus: count,
      revoked: v.exactOptional(v.literal(true)),
      deactivated: v.exactOptional(v.literal(true)),
    }),
  ),
  askedAt: v.exactOptional(instant),
  vendorPlan: v.exactOptional(v.object({ plan: v.nullable(text), askedAt: instant })),
  vendorPause: v.exactOptional(
    v.object({
      until: instant,
      inARow: v.pipe(count, v.minValue(1)),
      reason: v.picklist(['throttled', 'blocked']),
    }),
  ),
}
const evidenceSchema = v.object({
  samples: v.pipe(v.array(sampleSchema), v.maxLength(8)),
  plannedIntervalSeconds: v.pipe(v.number(), v.minValue(0)),
  bankedResets: v.exactOptional(
    v.object({
      count: v.pipe(count, v.maxValue(999)),
      sampledAt: instant,
      expiresAt: v.pipe(v.array(instant), v.maxLength(BANKED_EXPIRIES_MAX)),
      listQuery: v.exactOptional(
        v.object({
          askedAt: instant,
          count: v.pipe(count, v.maxValue(999)),
          outcome: v.picklist(['answered', 'failed', 'missing']),
        }),
      ),
    }),
  ),
  ...askedEvidenceEntries,
})
const rememberedSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ account: accountSchema, evidence: v.nullable(evidenceSchema) }),
)

/** Parses a stored account; null if this version does not know its form. */
export function accountOfText(stored: string): RememberedAccount | null {
  const { success, output } = v.safeParse(rememberedSchema, stored)
  if (!success) return null
  const evidence: AccountEvidence | null =
    output.evidence === null ? null : { ...output.evidence, disabledProbe: { state: 'unknown' } }
  return { account: accountNamed(output.account.selector.authName, output.account), evidence }
}

const askedSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    accountKey: text,
    provider: text,
    verdict: v.fallback(v.nullable(verdictSchema), null),
    waitUntil: instantOrNull,
    evidence: v.object(askedEvidenceEntries),
  }),
)

export interface AskedRow {
  readonly upstream: string
  readonly file: string
  readonly value: string
}

/** Parses the row of an account's last query; empty if this version does not know its form. */
export function askedOfRow({ upstream, file, value }: AskedRow): readonly AskedAccount[] {
  const { success, output } = v.safeParse(askedSchema, value)
  return success ? [{ upstream, authName: file, ...output }] : []
}
