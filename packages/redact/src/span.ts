/** The kinds of replaced values, as pseudonyms and the summary name them. */
export type SecretKind = 'secret' | 'email' | 'hidden'

/** A stretch of text that is replaced. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly kind: SecretKind
  /** Value whose pseudonym is written, where it is not the text itself. */
  readonly value?: string
}

/** An address of mail has a pseudonym that is one as well. */
export function kindOf(value: string): SecretKind {
  return /^[^\s@]+@[^\s@]+$/.test(value) ? 'email' : 'secret'
}
