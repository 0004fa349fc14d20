import { antigravity } from './antigravity/descriptor.ts'
import { claude } from './claude/descriptor.ts'
import { codex } from './codex/descriptor.ts'
import { noticingEnds } from './contract/ended-accounts.ts'
import type { Provider } from './contract/provider.ts'
import { kimi, kimiAi } from './kimi/descriptor.ts'
import { xai } from './xai/descriptor.ts'

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
