import { epochMs } from '@svc/core'
import type { PoolMemoryUpdate, RememberedPool } from '@svc/core/pool'
import * as v from 'valibot'
import { accountOfText } from './stored-account.ts'

/** Name of the value with the proxies' last listing, among a store's own values. */
export const STANDING_NAME = 'pool'
/** Prefix of the values of accounts, followed by the file name, so that an older version can still use the store. */
export const ACCOUNT_PREFIX = 'account '
/** Prefix of the values of logins with an identity; the identity follows. */
export const LOGIN_PREFIX = 'login '
/** Prefix of the memories of notification targets, followed by the name of the target. */
export const TOLD_PREFIX = 'told '

const standingSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    listedAt: v.pipe(v.number(), v.integer()),
    source: v.nullable(v.picklist(['live', 'partial', 'stale', 'unavailable', 'demo'])),
    gatewayUp: v.nullable(v.boolean()),
    open: v.optional(v.array(v.object({ id: v.string(), since: v.pipe(v.number(), v.integer()) }))),
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

/** Reads a stored pool; null without a standing known to this version. Unknown accounts are left out. */
export function poolOfTexts(
  standingText: unknown,
  accountTexts: readonly string[],
  loginRows: readonly { readonly name: string; readonly value: string }[] = [],
): RememberedPool | null {
  const { success, output } = v.safeParse(standingSchema, standingText)
  if (!success) return null
  const logins = loginRows.flatMap(loginOfRow)
  const { open, ...standing } = output
  return {
    ...standing,
    ...(open && { open: open.map(({ id, since }) => ({ id, since: epochMs(since) })) }),
    listedAt: epochMs(output.listedAt),
    accounts: accountTexts.map(accountOfText).filter((account) => account !== null),
    ...(logins.length > 0 && { logins }),
  }
}

const loginSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    accountKey: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
    seenAt: v.pipe(v.number(), v.integer()),
  }),
)

function loginOfRow({ name, value }: { readonly name: string; readonly value: string }) {
  const { success, output } = v.safeParse(loginSchema, value)
  const identity = name.slice(LOGIN_PREFIX.length)
  return success ? [{ ...output, identity, seenAt: epochMs(output.seenAt) }] : []
}
