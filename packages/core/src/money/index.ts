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
export * from './paid-back.ts'
export * from './price-book.ts'
export { pricesAfterReading } from './price-changes.ts'
export { type PriceFile, picoUsdOf, readPriceFile } from './price-files.ts'
