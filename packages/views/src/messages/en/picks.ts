import type { PickReason } from '@svc/core'

const reasons: Readonly<Record<PickReason, string>> = {
  kept: 'The account in use is as good as the best.',
  best: 'The best account.',
  spread: 'As good as the best, and fewer callers use it.',
  none_listed: 'No account is listed.',
  none_matching: 'No account fits.',
  all_blocked: 'No account that fits may be used now.',
  all_avoided: 'Every account that fits is avoided.',
}

/** Why an account was picked, or why none was. */
export const picks = {
  reasons,
  /** Follows the reason. `when` is worded for the middle of a sentence. */
  nextAt: (when: string) => ` The first is expected back ${when}.`,
}
