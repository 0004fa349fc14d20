import { codex } from './codex/descriptor.ts'
import type { Provider } from './contract/provider.ts'

/** Every watched provider. The `type` of an auth file is the provider's `id`. */
export const knownProviders: readonly Provider[] = [codex]

/** The provider of this name in the proxy's account list; null if it is not watched. */
export function providerNamed(name: string): Provider | null {
  return knownProviders.find(({ id }) => id === name) ?? null
}
