import type { KeyFileProblem } from '@svc/core/service'
import { secretFileProblems } from '@svc/secret-files'
import { fail, type Verdict } from './finding.ts'

/** Verdict on a refused file. `what` names the file, `key` the setting. */
export function refusedFile(reason: KeyFileProblem, what: string, key: string): Verdict {
  const [why, remedy] = secretFileProblems[reason]
  return fail(reason, `${what} ${why}`, remedy.replace('KEY', key))
}
