import type { RedactOutcome } from '@svc/redact'

/** The note for the reader if there were too many values to remember. */
export function leftOutLines(leftOut: RedactOutcome['leftOut']): readonly string[] {
  return leftOut === 0
    ? []
    : [
        `${leftOut} secrets were too many to be remembered. They are hidden where their name stands, and were NOT looked for elsewhere. Redact fewer files at once.`,
      ]
}
