import type { EpochMs } from './time.ts'

/** How we stand with the proxy's management API. */
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

/** Why a key file cannot be used. */
export type KeyFileProblem =
  | 'missing'
  | 'unreadable'
  | 'not_a_file'
  | 'foreign_owner'
  | 'writable_by_others'
  | 'too_large'
  | 'empty'

/** Files that hold secrets. */
export type SecretFile = 'management_key' | 'client_labels' | 'auth_files'
