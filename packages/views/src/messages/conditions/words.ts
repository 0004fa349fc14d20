/** What is said of something that went wrong: what is the case, and one imperative sentence on what to do about it. */
export interface Words {
  readonly summary: string
  readonly remedy: string
}

/** A sentence as a part of another: without its capital and its full stop. */
export function clauseOf(sentence: string): string {
  return sentence.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '')
}
