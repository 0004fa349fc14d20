// The door of @svc/notify: messages to receivers outside.
export type { NoticesByNames, NoticesNow, Notifier, NotifierDeps, NotifyWords } from './notifier.ts'
