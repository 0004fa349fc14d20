import type { PickReason } from '@svc/core'

/** Why an account was picked, or why none was. */
export const picks: Readonly<Record<PickReason, string>> = {
  kept: 'The account in use is the best, or nearly.',
  best: 'The best account.',
  spread: 'Nearly the best, and fewer callers use it.',
  none_listed: 'No account is listed.',
  none_matching: 'No account fits.',
  all_blocked: 'No account that fits may be used now.',
  all_avoided: 'Every account that fits is avoided.',
}
