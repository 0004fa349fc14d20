import { ASSUMED_PROVIDER, type ProviderId } from '../facts/provider.ts'
import type { UsageDetail } from './usage-detail.ts'

/** Prefix of the account key of a request that belongs to no listed account; followed by its provider. */
export const OTHER_ACCOUNT = 'other:'

/** The vendor of a request. If the record names none, a listed account gets the one provider that was watched at that time. */
export function providerOfUsage({
  provider,
  accountKey,
}: Pick<UsageDetail, 'provider' | 'accountKey'>): ProviderId {
  if (provider != null) return provider
  return accountKey.startsWith(OTHER_ACCOUNT)
    ? accountKey.slice(OTHER_ACCOUNT.length)
    : ASSUMED_PROVIDER
}
