import type { Account, ProviderId } from '@svc/core'
import { readStatusMessage, type StatusMessage } from '@svc/core/service'
import { antigravity } from './antigravity/descriptor.ts'
import { claude } from './claude/descriptor.ts'
import { codex } from './codex/descriptor.ts'
import {
  type AccountIdentity,
  type AskedVendor,
  type Provider,
  usualPoliteness,
} from './contract/provider.ts'
import { endIn, noticingEnds } from './contract/refusal-words.ts'
import { kimi, kimiAi } from './kimi/descriptor.ts'
import { xai } from './xai/descriptor.ts'

/** Whether a plugin of the proxy, and nobody else, can be asked for the quota of an account. */
export function asksPlugin({
  provider,
  supportsQuota,
}: Pick<Account, 'provider' | 'supportsQuota'>): boolean {
  return supportsQuota === true && providerNamed(provider) === null
}

/** The vendor behind a plugin's provider. Only the plugin knows whom it asks, and how. */
export function pluginVendor(id: ProviderId): AskedVendor {
  // A plugin may be installed within the hour.
  return {
    id,
    endpoint: 'quota-fetch',
    politeness: usualPoliteness(id, { unavailableSeconds: 3600 }),
  }
}

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

/** Every provider whose quota can be read. The `type` of an auth file is the provider's `id`. */
export const knownProviders: readonly Provider[] = [
  codex,
  claude,
  xai,
  kimi,
  kimiAi,
  antigravity,
].map(noticingEnds)

/** The provider of this name in the proxy's account list; null if nothing is known of it. */
export function providerNamed(name: string): Provider | null {
  return knownProviders.find(({ id }) => id === name) ?? null
}
