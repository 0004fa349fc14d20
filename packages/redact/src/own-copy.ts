/** A copy of the text in its own memory: a substring keeps the whole original string in memory. */
export function ownCopy(text: string): string {
  return ` ${text}`.slice(1)
}
