import type { RedactOutcome } from '@svc/redact'

/** The note for the reader if there were too many values to remember. */
export function leftOutLines({ named, byShape }: RedactOutcome['leftOut']): readonly string[] {
  const lines: string[] = []
  if (named > 0)
    lines.push(
      `${named} secrets were too many to be remembered. They are hidden where their name stands, and were NOT looked for elsewhere. Redact fewer files at once.`,
    )
  if (byShape > 0)
    lines.push(
      `${byShape} random texts were too many to be remembered. They are hidden by their shape, and were not looked for in other spellings.`,
    )
  return lines
}
