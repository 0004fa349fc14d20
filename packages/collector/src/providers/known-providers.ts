import type { ProviderId } from '@svc/core'
import { codex } from './codex/descriptor.ts'
import type { Provider } from './contract/provider.ts'

/** Every provider whose accounts are watched. An auth file names its own by the same `id`, as its `type`. */
export const knownProviders: readonly Provider[] = [codex]

/** The provider of this name in the proxy's account list; null for one that is not watched. */
export function providerNamed(name: string): Provider | null {
  return knownProviders.find(({ id }) => id === name) ?? null
}

/** The provider of an account that is watched. */
export function providerOf({ provider }: { readonly provider: ProviderId }): Provider {
  const known = providerNamed(provider)
  if (known === null) throw new Error(`no provider is named ${provider}`)
  return known
}
