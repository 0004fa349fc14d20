export {
  type PriceFileKind,
  type PriceSource,
  priceFileKinds,
  type RefusedPrice,
  refusedPrices,
  type UnpricedReason,
  unpricedReasons,
} from '../usage/usage-cost.ts'
export { modelCostsOf } from './model-costs.ts'
export { modelNamesOf } from './model-names.ts'
export {
  type AccountPlan,
  type PaidBack,
  paidBackOf,
  type SubscriptionPrice,
} from './paid-back.ts'
export {
  type BandRates,
  type DatedPrice,
  dayOf,
  type ModelRates,
  type Multiplier,
  type OwnPrices,
  type Price,
  type PriceBook,
  type PricedBy,
  type PricedModel,
  type PriceFacts,
  type PriceSettings,
  type PricesSeen,
  priceBookOf,
  type TokenRates,
  tokenCostOf,
} from './price-book.ts'
export { pricesAfterReading } from './price-changes.ts'
export { type PriceFile, picoUsdOf, readPriceFile } from './price-files.ts'
