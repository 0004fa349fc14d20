// Messages to the outside, for the programs of this repository alone. Not published.
export * from '../facts/notify.ts'
export { decideNotifications } from './decide-notifications.ts'
export type { DeliveredNotice, Message, Notice, NoticesByNames, NoticesNow } from './memory.ts'
export {
  delivered,
  emptyMemory,
  type FailedAttempt,
  failed,
  parseMemory,
  withoutComings,
} from './memory.ts'
