export {
  type AccountFilter,
  type Client,
  createClient,
  type PickRequest,
  type RankingFilter,
} from './client.ts'
export { ClientError, type ClientErrorCode } from './client-error.ts'
export type { ClientOptions } from './request.ts'
