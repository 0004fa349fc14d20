export type { GuardNeed, GuardVerdict } from '@svc/core'
export type {
  AccountDetail,
  Health,
  Pick,
  PoolEvent,
  Recommendations,
  StatsSeries,
  StatusSnapshot,
} from '@svc/views'
export {
  type AccountFilter,
  type Client,
  createClient,
  type PickRequest,
  type RankingFilter,
} from './client.ts'
export { ClientError, type ClientErrorCode } from './client-error.ts'
export type { EventsOptions, ReceivedEvent } from './follow-events.ts'
export type { ClientOptions, Query } from './request.ts'
