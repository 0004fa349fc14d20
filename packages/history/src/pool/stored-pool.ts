import { epochMs } from '@svc/core'
import type { ChangeDetail, PoolMemoryUpdate, RecentChange, RememberedPool } from '@svc/core/pool'
import * as v from 'valibot'
import { accountOfText, instant, text } from './stored-account.ts'

const ratio = v.nullable(v.pipe(v.number(), v.finite()))
const benchmark = v.object({
  generatedAt: v.nullable(instant),
  speedup: ratio,
  tokenOverheadRatio: ratio,
  weeklyToFiveHourMultiplier: ratio,
})
const status = v.picklist([
  'active',
  'disabled',
  'auth_invalid',
  'deactivated',
  'unavailable',
  'reset_scheduled',
  'quota_hit',
  'retry_after',
  'cooldown',
  'ready_unproven',
  'degraded',
  'pending',
  'refreshing',
  'unknown_status',
  'message',
])
const reason = v.union([
  v.picklist([
    'operator_disabled',
    'auth_invalid',
    'status_invalid',
    'upstream_retry_after',
    'cooldown',
  ]),
  v.custom<`quota_exhausted_${string}`>(
    (value) => typeof value === 'string' && /^quota_exhausted_.{1,100}$/.test(value),
  ),
])
const source = v.picklist(['live', 'partial', 'stale', 'unavailable', 'demo'])

const account = { title: text, accountKey: v.exactOptional(text) }

const countMin1 = v.pipe(v.number(), v.integer(), v.minValue(1))

const detailSchema: v.GenericSchema<unknown, ChangeDetail> = v.variant('code', [
  v.object({ code: v.picklist(['account_added', 'account_removed']), ...account }),
  v.object({
    code: v.literal('account_renamed'),
    ...account,
    fromAuthName: text,
    toAuthName: text,
  }),
  v.object({ code: v.literal('plan_changed'), ...account, from: text, to: text }),
  v.object({
    code: v.literal('status_changed'),
    ...account,
    from: status,
    to: status,
    fromReason: v.exactOptional(reason),
    toReason: v.exactOptional(reason),
    until: v.nullable(instant),
  }),
  v.object({ code: v.picklist(['window_exhausted', 'window_reset']), ...account, windowId: text }),
  v.object({
    code: v.literal('vendor_reset'),
    provider: text,
    windowId: text,
    accountCount: countMin1,
    units: v.exactOptional(v.pipe(v.number(), v.finite(), v.minValue(0))),
    seenAt: instant,
  }),
  v.object({
    code: v.picklist(['banked_reset_spent', 'banked_reset_lapsed']),
    ...account,
    count: countMin1,
  }),
  v.object({
    code: v.literal('banked_reset_arrived'),
    provider: text,
    accountCount: countMin1,
    count: countMin1,
    accountKeys: v.pipe(v.array(text), v.maxLength(100)),
    seenAt: instant,
  }),
  v.object({ code: v.literal('source_changed'), from: source, to: source }),
  v.object({ code: v.literal('gateway_changed'), up: v.boolean() }),
  v.object({ code: v.picklist(['proxy_restarted', 'history_started']) }),
  v.object({ code: v.literal('benchmark_changed'), from: benchmark, to: benchmark }),
])
const storedSchema = v.object({
  tone: v.picklist(['good', 'warn', 'bad', 'unknown']),
  detail: v.pipe(v.string(), v.parseJson(), detailSchema),
})

/** Reads a stored change; null if this version does not know its form. */
export function storedChange(row: {
  readonly atMs: number
  readonly tone: string
  readonly detail: string
}): RecentChange | null {
  const { success, output } = v.safeParse(storedSchema, row)
  return success ? { at: epochMs(row.atMs), ...output } : null
}

/** Name of the stored value with the proxies' last listing. */
export const STANDING_NAME = 'pool'
/** Name prefix of account values; the file name follows. An older version can still use such a store. */
export const ACCOUNT_PREFIX = 'account '
/** Name prefix of the values of logins with an identity; the identity follows. */
export const LOGIN_PREFIX = 'login '
/** Name prefix of the memories of notification targets; the target's name follows. */
export const TOLD_PREFIX = 'told '

const standingSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    listedAt: instant,
    source: v.nullable(source),
    gatewayUp: v.nullable(v.boolean()),
    open: v.exactOptional(v.array(v.object({ id: v.string(), since: instant }))),
  }),
)

/** Names and values of a stored pool; null deletes the value. */
export function rowsOfPool({
  texts,
  logins = [],
  ...standing
}: PoolMemoryUpdate): readonly (readonly [name: string, value: string | null])[] {
  return [
    [STANDING_NAME, JSON.stringify(standing)],
    ...texts.map(([authName, text]) => [ACCOUNT_PREFIX + authName, text] as const),
    ...logins.map(([identity, text]) => [LOGIN_PREFIX + identity, text] as const),
  ]
}

/** Parses a stored pool; null if this version does not know the form of its standing. Skips accounts of an unknown form. */
export function poolOfTexts(
  standingText: unknown,
  accountTexts: readonly string[],
  loginRows: readonly { readonly name: string; readonly value: string }[] = [],
): RememberedPool | null {
  const { success, output } = v.safeParse(standingSchema, standingText)
  if (!success) return null
  const logins = loginRows.flatMap(loginOfRow)
  return {
    ...output,
    accounts: accountTexts.map(accountOfText).filter((account) => account !== null),
    ...(logins.length > 0 && { logins }),
  }
}

const loginSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    accountKey: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
    seenAt: instant,
  }),
)

function loginOfRow({ name, value }: { readonly name: string; readonly value: string }) {
  const { success, output } = v.safeParse(loginSchema, value)
  return success ? [{ ...output, identity: name.slice(LOGIN_PREFIX.length) }] : []
}
