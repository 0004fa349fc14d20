import type { ProviderId } from '@svc/core'
import { readStatusMessage, type StatusMessage } from '@svc/core/service'
import { endIn } from './contract/ended-accounts.ts'
import type { AccountIdentity, Provider } from './contract/provider.ts'
import { providerNamed } from './known-providers.ts'

/** Readers of what the proxy's account list says about an account. */
type ListReader = Pick<Provider, 'identityOf' | 'readStatusMessage'>

/** The readers for a provider's entries of the account list: its own, or cautious ones for a vendor without a folder. */
export function vendorOf(provider: ProviderId): ListReader {
  return providerNamed(provider) ?? unknownVendor
}

const NOTHING_KNOWN: AccountIdentity = {
  vendorAccountId: null,
  claimedPlan: null,
  subscribedUntil: null,
}

const unknownVendor: ListReader = {
  identityOf: () => NOTHING_KNOWN,
  readStatusMessage: (text, at) => endIn('', text) ?? suspectedOnly(readStatusMessage(text, at)),
}

/** Codes of a vendor we do not know may mean a token that is about to be refreshed. */
function suspectedOnly(message: StatusMessage): StatusMessage {
  return message.kind === 'auth_fault' ? { ...message, suspected: true } : message
}
