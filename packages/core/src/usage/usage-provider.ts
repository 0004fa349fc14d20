import { ASSUMED_PROVIDER, type ProviderId } from '../facts/provider.ts'
import type { UsageDetail } from './usage-detail.ts'

/** What the account key of a request begins with that is of none of the listed accounts; its provider follows. */
export const OTHER_ACCOUNT = 'other:'

/** The vendor of a request. Where the record does not say: of a listed account the one provider that was watched when records did not. */
export function providerOfUsage({
  provider,
  accountKey,
}: Pick<UsageDetail, 'provider' | 'accountKey'>): ProviderId {
  if (provider != null) return provider
  return accountKey.startsWith(OTHER_ACCOUNT)
    ? accountKey.slice(OTHER_ACCOUNT.length)
    : ASSUMED_PROVIDER
}
