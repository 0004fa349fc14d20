export type { GuardNeed, GuardVerdict } from '@svc/core'
export type {
  AccountDetail,
  CapacityParts,
  Health,
  Pick,
  PoolEvent,
  Prices,
  Recommendations,
  StatsSeries,
  StatusSnapshot,
} from '@svc/views'
export {
  type AccountFilter,
  type Client,
  createClient,
  type PickRequest,
  type PoolVerdict,
  type ProviderFilter,
  type RankingFilter,
} from './client.ts'
export type { EventsOptions, ReceivedEvent } from './follow-events.ts'
export { readText } from './read-text.ts'
export { ClientError, type ClientErrorCode, type ClientOptions, type Query } from './request.ts'
