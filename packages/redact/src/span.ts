/** The kinds of values that the summary counts. */
export type SecretKind =
  | 'known'
  | 'email'
  | 'secret'
  | 'uuid'
  | 'ip'
  | 'mac'
  | 'user'
  | 'path'
  | 'agent'
  | 'dump'

/** A stretch of text that must be replaced. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly kind: SecretKind
  /** The value without its spelling: equal values get equal pseudonyms. Byte text. */
  readonly value: string
  /** Reason the value is a secret elsewhere as well: its name or its shape. `here`: it is a secret in this place alone. */
  readonly certainty: 'named' | 'shape' | 'here'
  /** Parts of the value that are secrets themselves, such as the password in `user:password`. */
  readonly parts?: readonly string[]
  /** Quotes to write around the pseudonym if the value had none: a number in JSON becomes a string. */
  readonly quote?: string
  /** Set while the end of the stretch has not been read: the stretch ends at the first match. */
  readonly until?: RegExp
}
