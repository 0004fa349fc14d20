export { modelNamesOf } from './model-names.ts'
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
  type PriceFacts,
  type PriceFileKind,
  type PriceSource,
  priceBookOf,
  priceFileKinds,
  type RefusedPrice,
  refusedPrices,
  type TokenRates,
  tokenCostOf,
  type UnpricedReason,
  unpricedReasons,
} from './price-book.ts'
export { pricesAfterReading } from './price-changes.ts'
export { type PriceFile, readPriceFile } from './price-files.ts'
