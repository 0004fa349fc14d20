/** Words for a failure: `summary` states the problem, `remedy` is one imperative sentence. */
export interface Words {
  readonly summary: string
  readonly remedy: string
}

/** A sentence turned into a clause: without its capital and its full stop. */
export function clauseOf(sentence: string): string {
  return sentence.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '')
}
