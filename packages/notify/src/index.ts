// The door of @svc/notify: messages to receivers outside.
export { checkAddress, sendTest } from './delivery.ts'
export { createNotifier } from './notifier.ts'
