import type { KeyFileProblem } from '@svc/core/service'
import type { Words } from '../conditions/words.ts'

/** Reason and remedy for each problem with the management key file. */
export const keyFileConditions: Readonly<Record<KeyFileProblem, Words>> = {
  missing: {
    summary: 'The file that management_key_file names does not exist.',
    remedy: 'Create the file, or correct management_key_file.',
  },
  unreadable: {
    summary: 'The key file cannot be read, or does not hold a key.',
    remedy:
      'Let this service read the file, which must hold the key as one line of plain text, not UTF-16.',
  },
  not_a_file: {
    summary: 'management_key_file does not name a regular file.',
    remedy: 'Point management_key_file at a regular file.',
  },
  foreign_owner: {
    summary: 'The key file belongs to another user, who could change it, so its key is not used.',
    remedy: 'Give the key file to the user of this service, or to root (chown).',
  },
  writable_by_others: {
    summary: 'Other users can write the key file or its folder, so its key is not used.',
    remedy:
      'Remove write permission for others from the key file and the folders above it (chmod go-w).',
  },
  too_large: {
    summary: 'The key file is too large to hold a key.',
    remedy: 'Put nothing but the management key into the file.',
  },
  empty: { summary: 'The key file is empty.', remedy: 'Put the management key into the file.' },
}
