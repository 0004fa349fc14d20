import type { TokenClasses } from './usage-counts.ts'

/** Service tiers of requests other than the standard one; `unknown`: a name that no rate is known for. */
export const serviceTiers = ['priority', 'flex', 'unknown'] as const
export type ServiceTier = (typeof serviceTiers)[number]

const TIER_OF_NAME: ReadonlyMap<string, ServiceTier | null> = new Map([
  ['auto', null],
  ['default', null],
  ['standard', null],
  ['priority', 'priority'],
  ['fast', 'priority'],
  ['flex', 'flex'],
])

/** Tier by its name in the answer, or else in the request; null is standard. */
export function serviceTierOf(asked: string | null, answered: string | null): ServiceTier | null {
  const name = [answered, asked].map((one) => one?.trim().toLowerCase()).find(Boolean)
  if (name === undefined) return null
  const tier = TIER_OF_NAME.get(name)
  return tier === undefined ? 'unknown' : tier
}

/** Maximum number of input tokens of a request in each band but the last, by which makers set their rates. */
export const bandBounds = [128_000, 200_000, 272_000] as const

/** Band of a request by all of its input, 0 to 3; null if its classes are unknown. */
export function bandOf(classes: TokenClasses | null | undefined): number | null {
  if (classes == null) return null
  const { tokensIn, tokensCached, tokensWritten } = classes
  const input = tokensIn + tokensCached + tokensWritten
  let band = 0
  while (input > (bandBounds[band] ?? Number.POSITIVE_INFINITY)) band += 1
  return band
}
