import { bandBounds } from '../usage/rate.ts'
import { type PriceFileKind, type RefusedPrice, refusedPrices } from '../usage/usage-cost.ts'
import type { BandRates, ModelRates, TokenRates } from './price-book.ts'

export interface PriceFile {
  readonly kind: PriceFileKind
  /** Rates by model, in lower case and without its maker. */
  readonly models: ReadonlyMap<string, ModelRates>
  readonly refused: ReadonlyMap<string, RefusedPrice>
}

/** Reads a parsed file of list prices; null if it has the shape of none that is known. See docs/rules.md#cost. */
export function readPriceFile(json: unknown): PriceFile | null {
  const entries = Object.entries(objectOf(json)).map(
    ([key, value]) => [key, objectOf(value)] as const,
  )
  if (entries.some(([, { models }]) => isObject(models)))
    return priceFileOf('models.dev', entries.flatMap(modelsDevEntries))
  if (entries.some(([, one]) => 'litellm_provider' in one || 'input_cost_per_token' in one))
    return priceFileOf('litellm', litellmEntries(entries))
  return null
}

/** Rates of a model as its entry states them, of any form, for each tier, threshold and class. */
interface Entry {
  readonly model: string
  readonly stated: readonly StatedRates[]
}
interface StatedRates {
  readonly tier: BandRates['tier']
  /** In input tokens; null where it is unknown for which requests the rates are. */
  readonly above: number | null
  readonly rates: Readonly<Record<keyof TokenRates, unknown>>
}

/** Places by which the unit of a file is moved to pico-dollars a token: a dollar a token, a dollar a million. */
const PLACES: Readonly<Record<PriceFileKind, number>> = { litellm: 12, 'models.dev': 6 }

function priceFileOf(kind: PriceFileKind, entries: readonly Entry[]): PriceFile {
  const models = new Map<string, ModelRates>()
  const refused = new Map<string, RefusedPrice>()
  for (const { model, stated } of entries) {
    if (models.has(model) || refused.has(model)) continue
    const rates = modelRatesOf(stated, PLACES[kind])
    if (isRefused(rates)) refused.set(model, rates)
    else if (rates.length > 0) models.set(model, rates)
  }
  return { kind, models, refused }
}

/** Rates of an entry, none if it has no price of input and output, or why it is refused. */
function modelRatesOf(stated: readonly StatedRates[], places: number): ModelRates | RefusedPrice {
  const all: BandRates[] = []
  for (const { tier, above, rates } of stated) {
    const band = above === null ? -1 : [0, ...bandBounds].indexOf(above)
    if (band === -1) return 'band'
    const [input, read, write, out] = [rates.in, rates.read, rates.write, rates.out].map((rate) =>
      rate == null ? null : picoUsdOf(rate, places),
    )
    if ([input, read, write, out].includes(undefined)) return 'rate'
    all.push({
      tier,
      band,
      rates: { in: input ?? null, read: read ?? null, write: write ?? null, out: out ?? null },
    })
  }
  const standard = all.find(({ tier, band }) => tier === null && band === 0)?.rates
  if (standard?.in == null || standard.out === null) return []
  if (standard.in === 0 && standard.out === 0) return 'zero'
  return ([null, 'priority', 'flex'] as const).flatMap((tier) => ratesOfTier(all, tier))
}

/** Rates of a tier, lowest band first; none unless the lowest has a price of input and output. */
function ratesOfTier(all: readonly BandRates[], tier: BandRates['tier']): ModelRates {
  const found = all.filter((one) => one.tier === tier).sort((one, other) => one.band - other.band)
  const lowest = found[0]?.rates
  const isPriced = lowest?.in != null && lowest.out !== null && lowest.in + lowest.out > 0
  return isPriced ? found : []
}

function isRefused(rates: ModelRates | RefusedPrice): rates is RefusedPrice {
  return refusedPrices.some((reason) => reason === rates)
}

const PICO_USD_MAX = 1_000_000_000

/** A rate in pico-dollars a token, by its decimal digits; undefined unless it is a whole number up to $1,000 a million. */
export function picoUsdOf(rate: unknown, places: number): number | undefined {
  if (typeof rate !== 'number' || !(rate >= 0)) return undefined
  const [digits = '', exponent = '0'] = String(rate).split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const zeros = places + Number(exponent) - fraction.length
  const moved = `${whole}${fraction}${'0'.repeat(Math.max(0, zeros))}`
  if (zeros < 0 && !/^0+$/.test(moved.slice(zeros))) return undefined
  const pico = Number(zeros < 0 ? moved.slice(0, zeros) : moved)
  return pico <= PICO_USD_MAX ? pico : undefined
}

/** Makers whose own prices are in the file of LiteLLM, by their provider there. */
const LITELLM_MAKERS: ReadonlySet<unknown> = new Set([
  'openai',
  'text-completion-openai',
  'anthropic',
  'xai',
  'moonshot',
  'gemini',
  'vertex_ai-language-models',
])
const LITELLM_MODES: ReadonlySet<unknown> = new Set([
  undefined,
  null,
  'chat',
  'responses',
  'completion',
])
const LITELLM_NO_MODELS: ReadonlySet<string> = new Set(['sample_spec', 'fallback_generalizations'])
const LITELLM_CLASSES: ReadonlyMap<string, keyof TokenRates> = new Map([
  ['input_cost_per_token', 'in'],
  ['cache_read_input_token_cost', 'read'],
  ['cache_creation_input_token_cost', 'write'],
  ['output_cost_per_token', 'out'],
])
const LITELLM_KEY = /^(\w+?)(?:_above_(\d+)k_tokens)?(?:_(priority|flex))?$/

/** Entries of LiteLLM's file; those without a maker in their name first, because a name with one may be priced for a region. */
function litellmEntries(
  entries: readonly (readonly [string, Readonly<Record<string, unknown>>])[],
): readonly Entry[] {
  const found = entries.flatMap(([key, entry]) => {
    const { litellm_provider: maker, mode } = entry
    const isTaken =
      LITELLM_MAKERS.has(maker) && LITELLM_MODES.has(mode) && !LITELLM_NO_MODELS.has(key)
    const model = key.startsWith(`${maker}/`) ? key.slice(`${maker}/`.length) : key
    if (!isTaken || model.includes('/')) return []
    return [{ key, model: model.toLowerCase(), stated: litellmRates(entry) }]
  })
  const isBare = ({ key }: { readonly key: string }) => !key.includes('/')
  return [...found.filter(isBare), ...found.filter((one) => !isBare(one))]
}

function litellmRates(entry: Readonly<Record<string, unknown>>): readonly StatedRates[] {
  const byBand = new Map<string, StatedRates & { rates: Record<keyof TokenRates, unknown> }>()
  for (const [key, rate] of Object.entries(entry)) {
    const [, name = '', thousands = '0', tierName] = LITELLM_KEY.exec(key) ?? []
    const className = LITELLM_CLASSES.get(name)
    if (className === undefined) continue
    const tier = tierName === 'priority' || tierName === 'flex' ? tierName : null
    const place = `${tier} ${thousands}`
    const band = byBand.get(place) ?? {
      tier,
      above: Number(thousands) * 1_000,
      rates: { ...NO_RATES },
    }
    band.rates[className] = rate
    byBand.set(place, band)
  }
  return [...byBand.values()]
}

const NO_RATES: TokenRates = { in: null, read: null, write: null, out: null }

/** Providers of models.dev that are makers; what a reseller takes is no list price. */
const MODELS_DEV_MAKERS: ReadonlySet<string> = new Set([
  'openai',
  'anthropic',
  'xai',
  'google',
  'moonshotai',
])

function modelsDevEntries([maker, { models }]: readonly [
  string,
  Readonly<Record<string, unknown>>,
]): readonly Entry[] {
  if (!MODELS_DEV_MAKERS.has(maker)) return []
  return Object.entries(objectOf(models)).map(([name, model]) => {
    const { cost, experimental } = objectOf(model)
    const modes = Object.values(objectOf(objectOf(experimental).modes)).map(objectOf)
    const ofTiers = modes.flatMap(({ cost: modeCost, provider }) => {
      const tier = objectOf(objectOf(provider).body).service_tier
      return tier === 'priority' || tier === 'flex' ? modelsDevRates(modeCost, tier) : []
    })
    return { model: name.toLowerCase(), stated: [...modelsDevRates(cost, null), ...ofTiers] }
  })
}

function modelsDevRates(cost: unknown, tier: BandRates['tier']): readonly StatedRates[] {
  const stated = (above: number | null, of: unknown): StatedRates => {
    const { input, cache_read: read, cache_write: write, output } = objectOf(of)
    return { tier, above, rates: { in: input, read, write, out: output } }
  }
  const { tiers, context_over_200k: over200k } = objectOf(cost)
  // The generator writes `context_over_200k` for any single threshold from 200,000 up, so `tiers` says more.
  const older = tiers == null && over200k != null ? [stated(200_000, over200k)] : []
  const newer = (Array.isArray(tiers) ? tiers : []).map((one) => stated(thresholdOf(one), one))
  return [stated(0, cost), ...newer, ...older]
}

function thresholdOf(one: unknown): number | null {
  const { size, type = 'context' } = objectOf(objectOf(one).tier)
  return typeof size === 'number' && size > 0 && type === 'context' ? size : null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of an object; none of anything else. */
function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}
