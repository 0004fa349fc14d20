import type { PickReason } from '@svc/core'

/** Reason of a pick. */
export const picks: Readonly<Record<PickReason, string>> = {
  kept: 'The account in use is kept.',
  best: 'The best account.',
  spread: 'Fewer callers use it than a better one.',
  released: 'The caller is forgotten.',
  none_listed: 'No account is listed.',
  none_matching: 'No account fits.',
  all_blocked: 'No account that fits may be used now.',
  all_avoided: 'Every account that fits is avoided.',
}
