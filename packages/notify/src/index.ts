// The door of @svc/notify: messages to receivers outside.
export { checkAddress, type NotifyWords, sendTest } from './delivery.ts'
export { createNotifier, type Notifier, type NotifierDeps } from './notifier.ts'
