import { epochMs } from '@svc/core'
import type { PoolMemoryUpdate, RememberedPool } from '@svc/core/service'
import * as v from 'valibot'
import { accountOfText } from './stored-account.ts'

/** Under which name a store keeps how the proxies were last listed, among what it knows of itself. */
export const STANDING_NAME = 'pool'
/** Accounts stand there too, each under this and its file name, so that an older version may still use the store. */
export const ACCOUNT_PREFIX = 'account '

const standingSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    listedAt: v.pipe(v.number(), v.integer()),
    source: v.nullable(v.picklist(['live', 'partial', 'stale', 'unavailable', 'demo'])),
    gatewayUp: v.nullable(v.boolean()),
  }),
)

/** Names and values under which a pool is kept; null: what was kept under that name is to go. */
export function rowsOfPool({
  texts,
  ...standing
}: PoolMemoryUpdate): readonly (readonly [name: string, value: string | null])[] {
  return [
    [STANDING_NAME, JSON.stringify(standing)],
    ...texts.map(([authName, text]) => [ACCOUNT_PREFIX + authName, text] as const),
  ]
}

/** A pool as it was kept; null without a standing that this version knows. Accounts it does not know are left out. */
export function poolOfTexts(
  standingText: unknown,
  accountTexts: readonly string[],
): RememberedPool | null {
  const { success, output } = v.safeParse(standingSchema, standingText)
  if (!success) return null
  return {
    ...output,
    listedAt: epochMs(output.listedAt),
    accounts: accountTexts.map(accountOfText).filter((account) => account !== null),
  }
}
