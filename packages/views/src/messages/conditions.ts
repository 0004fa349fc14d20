import type { BlockedReason } from '@svc/core'
import { windowLabel } from '../wire-text.ts'

/** Why an account must not be used, in a few words; when that ends is said beside it. */
export function blockedText(slug: BlockedReason): string {
  switch (slug) {
    case 'operator_disabled':
      return 'Disabled by the operator on the proxy'
    case 'auth_invalid':
      return 'The login is refused'
    case 'status_invalid':
      return 'The proxy reports it unavailable'
    case 'upstream_retry_after':
      return 'The proxy holds it back'
    case 'cooldown':
      return 'Quota message without a time'
    default:
      return `${windowLabel(slug.slice('quota_exhausted_'.length))} quota is used up`
  }
}
