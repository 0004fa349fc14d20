import type { KeyFileProblem } from '@svc/core/service'
import { fail, type Verdict } from './finding.ts'

/** Problem and remedy for each reason a secret file is not used. */
const problems: Readonly<Record<KeyFileProblem, readonly [what: string, remedy: string]>> = {
  missing: ['does not exist', 'Create the file, or correct KEY.'],
  unreadable: ['cannot be read', 'Let the user of the service read it.'],
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
}

/** Verdict on a refused file. `what` names the file, `key` the setting. */
export function refusedFile(reason: KeyFileProblem, what: string, key: string): Verdict {
  const [why, remedy] = problems[reason]
  return fail(reason, `${what} ${why}`, remedy.replace('KEY', key))
}
