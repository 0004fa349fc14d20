import type { Account, ProviderId } from '@svc/core'
import { readStatusMessage, type StatusMessage } from '@svc/core/service'
import { antigravity } from './antigravity/descriptor.ts'
import { claude } from './claude/descriptor.ts'
import { codex } from './codex/descriptor.ts'
import {
  type AskedVendor,
  NO_IDENTITY,
  type Provider,
  usualPoliteness,
} from './contract/provider.ts'
import { endIn, noticingEnds } from './contract/refusal-words.ts'
import { kimi, kimiAi } from './kimi/descriptor.ts'
import { xai } from './xai/descriptor.ts'

/** Whether the quota of an account can only be queried through a plugin of the proxy. */
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

type ListReader = Pick<Provider, 'identityOf' | 'readStatusMessage'>

/** The readers for a provider's entries in the account list; cautious ones for an unknown vendor. */
export function vendorOf(provider: ProviderId): ListReader {
  return providerNamed(provider) ?? unknownVendor
}

const unknownVendor: ListReader = {
  identityOf: () => NO_IDENTITY,
  readStatusMessage: (text, at) => endIn('', text) ?? suspectedOnly(readStatusMessage(text, at)),
}

/** Marks an unknown vendor's faults as suspected: their codes may mean a token that is about to be refreshed. */
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

/** The provider with this name in the proxy's account list; null if unknown. */
export function providerNamed(name: string): Provider | null {
  return knownProviders.find(({ id }) => id === name) ?? null
}
