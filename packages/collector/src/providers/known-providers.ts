import type { ProviderId } from '@svc/core'
import { codex } from './codex/descriptor.ts'
import type { Provider } from './contract/provider.ts'

const providerById: Readonly<Record<ProviderId, Provider>> = { codex }

/** Every provider whose accounts are watched. */
export const knownProviders: readonly Provider[] = Object.values(providerById)

/** The provider of this name in the proxy's account list; null for one that is not watched. */
export function providerNamed(name: string): Provider | null {
  return knownProviders.find(({ id }) => id === name) ?? null
}

export function providerOf({ provider }: { readonly provider: ProviderId }): Provider {
  return providerById[provider]
}
