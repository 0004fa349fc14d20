import type { KeyFileProblem } from '@svc/core/service'
import type { Words } from '../conditions/words.ts'

/** Reason and remedy for each problem with the management key file. */
export const keyFileConditions: Readonly<Record<KeyFileProblem, Words>> = {
  missing: {
    summary: 'The file that management_key_file names does not exist.',
    remedy: 'Create the file, or correct management_key_file.',
  },
  unreadable: {
    summary: 'The key file cannot be read.',
    remedy: 'Let the user of this service read the key file (chown, chmod 600).',
  },
  closed_folder: {
    summary: 'The key file is in a folder that this service may not enter.',
    remedy:
      'Let the user of this service enter the folders above the key file (chmod +x, or their group).',
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
  utf16: {
    summary: 'The key file is in UTF-16, as some editors and PowerShell of Windows write it.',
    remedy: 'Save the key file as UTF-8 or ASCII.',
  },
  nul: {
    summary: 'The key file holds NUL bytes, as no text does.',
    remedy: 'Write the key again as plain text; something binary may be in its place.',
  },
  several_lines: {
    summary: 'The key file holds several lines.',
    remedy: 'Leave the management key alone in the file, on one line.',
  },
  odd_characters: {
    summary:
      'The key holds characters that no header can carry, as umlauts, tabs and control codes.',
    remedy: 'Copy the key again, as plain ASCII text.',
  },
}
