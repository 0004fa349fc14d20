// The pool over time, for the programs of this repository alone. Not published.

export { nothingBanked } from './banked-watch.ts'
export { type BurnHours, burnHoursOf, hourOf, READINGS_MS_MIN } from './burn-forecast.ts'
export * from './callers.ts'
export {
  type CapacityPart,
  type CapacityReturn,
  capacityPartsOf,
  isLowerBound,
  isLowShare,
  isUsableUnknown,
  isWhollyUnknown,
  leftUnitsOf,
  UNKNOWN_SHARE_MAX,
  type WindowCapacity,
} from './capacity.ts'
export * from './capacity-point.ts'
export { type ChangeRow, changeRowsOf } from './change-rows.ts'
export type {
  ProviderPool,
  ProxyStanding,
  SnapshotSourceKind,
} from './evaluated-pool.ts'
export type { ExpectedLevel } from './expected-levels.ts'
export { endedRefresh, firstReadingsOf, refreshDeadlineMs } from './first-round.ts'
export { fits } from './pick.ts'
export * from './plan.ts'
export { poolOfProviders, poolPart } from './pool-at-upstream.ts'
export * from './pool-cycles.ts'
export * from './pool-record.ts'
export {
  allAccountsOf,
  type BankedTotal,
  bankedTotalOf,
  capacitiesOf,
  ownWindows,
  poolsInScope,
  poolsOf,
  providerByKeyOf,
  reclaimableAccounts,
  sharedWindowsOf,
  type UnknownNames,
  uniqueAccounts,
  unknownNamesIn,
} from './provider-pool.ts'
export {
  type AccountQuota,
  dryInstant,
  RUNWAY_HOURS_MAX,
  type RunwayContext,
} from './quota-walk.ts'
export { accountTitlesOf } from './rank-pool.ts'
export type { ChangeDetail, RecentChange } from './recent-changes.ts'
export * from './remembered-pool.ts'
export { type AccountReset, hasResetBetween } from './reset-schedule.ts'
export {
  accountQuotasOf,
  noTrends,
  poolSpansOf,
  type Runway,
  runwayOf,
  type Trends,
  type TrendsByProvider,
  trendsOf,
  type WindowTrend,
} from './runway.ts'
export { nothingSighted } from './vendor-reset.ts'
