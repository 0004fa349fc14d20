import { antigravity } from './antigravity.ts'
import { claude } from './claude.ts'
import { kimi } from './kimi.ts'
import type { Vendor } from './vendor.ts'
import { xai } from './xai.ts'

const vendors: Readonly<Record<string, Vendor>> = {
  claude,
  xai,
  kimi,
  'kimi-ai': kimi,
  antigravity,
}

/** The simulated vendor of a provider; null for Codex, which the fake simulates itself, and for an unknown provider. */
export function vendorOf(provider: string): Vendor | null {
  return Object.hasOwn(vendors, provider) ? (vendors[provider] ?? null) : null
}

/** The vendor at an address, with the provider asked about there; null for none. */
export function vendorAt(url: URL): { readonly vendor: Vendor; readonly provider: string } | null {
  if (url.protocol !== 'https:') return null
  for (const vendor of Object.values(vendors)) {
    const provider = vendor.hosts[url.host]
    if (provider !== undefined) return { vendor, provider }
  }
  return null
}
