import type { EpochMs } from '../facts/time.ts'

/** Cost at the list prices of the API. */
export interface Cost {
  /** In parts of 10⁻¹⁶ dollar, >= 0; of the priced tokens alone. */
  readonly units: bigint
  /** Tokens without a price; they are never taken as free. */
  readonly unpricedTokens: number
  /** Priced tokens of which the rate or the tier was assumed. */
  readonly assumedTokens: number
}

export const noCost: Cost = { units: 0n, unpricedTokens: 0, assumedTokens: 0 }

/** The sum of both costs, or their difference. */
export function addedCost(one: Cost, other: Cost, sign: 1 | -1 = 1): Cost {
  return {
    units: sign === 1 ? one.units + other.units : one.units - other.units,
    unpricedTokens: one.unpricedTokens + sign * other.unpricedTokens,
    assumedTokens: one.assumedTokens + sign * other.assumedTokens,
  }
}

const UNITS_OF_NANO_USD = 10_000_000n

/** In nano-dollars, rounded half up, at most the largest exact number; null if none of the tokens has a price. */
export function nanoUsdOf({ units, unpricedTokens }: Cost, tokens: number): number | null {
  if (unpricedTokens > 0 && unpricedTokens >= tokens) return null
  const nano = (units + UNITS_OF_NANO_USD / 2n) / UNITS_OF_NANO_USD
  return Math.min(Number(nano), Number.MAX_SAFE_INTEGER)
}

/** A price file, as it was when it was read. */
export interface PriceSource {
  readonly kind: PriceFileKind
  readonly sha256: string
  readonly readAt: EpochMs
}

export const priceFileKinds = ['litellm', 'models.dev'] as const
export type PriceFileKind = (typeof priceFileKinds)[number]

/** Reasons why an entry of a price file is refused. */
export const refusedPrices = ['band', 'zero', 'rate'] as const
export type RefusedPrice = (typeof refusedPrices)[number]

/** Reasons why tokens have no price. */
export const unpricedReasons = ['classes', 'model', 'tier', ...refusedPrices] as const
export type UnpricedReason = (typeof unpricedReasons)[number]
