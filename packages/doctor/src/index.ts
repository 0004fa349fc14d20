// The door of @svc/doctor: what is wrong with a set-up, and what to do about it.
export { examine } from './examine.ts'
export type { Finding } from './finding.ts'
export { whyNoKey } from './key-check.ts'
