import type { KeyFileProblem } from '@svc/core/service'

/** Problem and remedy for each reason a secret file is not used. */
export const secretFileProblems: Readonly<
  Record<KeyFileProblem, readonly [what: string, remedy: string]>
> = {
  missing: ['does not exist', 'Create the file, or correct KEY.'],
  unreadable: ['cannot be read', 'Let the user of the service read it.'],
  closed_folder: [
    'is in a folder that this user may not enter',
    'Let the user of the service enter the folders above it (chmod +x, or their group).',
  ],
  not_a_file: ['is not a regular file', 'Point KEY at a regular file.'],
  foreign_owner: [
    'belongs to another user, who could change it',
    'Give it to the user of this service, or to root (chown).',
  ],
  writable_by_others: [
    'can be written by other users, or its folder can',
    'Remove write permission for others from the file and the folders above it (chmod go-w).',
  ],
  too_large: ['is too large', 'Put nothing else into the file.'],
  empty: ['is empty', 'Fill the file, or correct KEY.'],
  utf16: ['is in UTF-16, as some editors of Windows write it', 'Save it as UTF-8.'],
  nul: ['holds NUL bytes', 'Write it again as plain text; something binary may be in its place.'],
  several_lines: ['holds several lines', 'Leave one line in the file, the secret alone.'],
  odd_characters: ['holds characters that cannot be sent', 'Write it again as plain text.'],
}
