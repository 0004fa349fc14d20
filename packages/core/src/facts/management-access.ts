import type { EpochMs } from './time.ts'

/** Consecutive refusals after which the proxy bans a client address. See docs/upstream.md#management-access. */
export const REFUSALS_TO_BAN = 5
/** Duration of a ban, assumed if the proxy's text does not state the remaining time. */
export const BAN_SECONDS = 30 * 60
/**
 * Pause after a refusal, in seconds. The proxy counts refusals without a time limit, but forgets an idle address after 2 h. See
 * docs/limits.md#after-a-refusal-of-the-key.
 */
export const REFUSED_RETRY_SECONDS = 150 * 60

/** State of our access to the proxy's management API. */
export type ManagementAccess =
  | { readonly kind: 'unproven' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'no_key' }
  | { readonly kind: 'unreadable_key'; readonly reason: KeyFileProblem }
  | {
      readonly kind: 'refused'
      readonly at: EpochMs
      readonly nextAttemptAt: EpochMs
      readonly failure: 'unauthorized' | 'forbidden'
    }
  | { readonly kind: 'banned'; readonly until: EpochMs }

export type KeyFileProblem =
  | 'missing'
  | 'unreadable'
  | 'closed_folder'
  | 'not_a_file'
  | 'foreign_owner'
  | 'writable_by_others'
  | 'too_large'
  | 'empty'
  | 'utf16'
  | 'nul'
  | 'several_lines'
  | 'odd_characters'

export type SecretFile = 'management_key' | 'client_labels' | 'auth_files'
