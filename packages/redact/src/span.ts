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

/** A stretch of a text that must not stay. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly kind: SecretKind
  /** The value without its spelling: equal values get equal pseudonyms. Byte text. */
  readonly value: string
  /** Why the value is a secret elsewhere as well: its name or its shape says so. `here`: it is one in this place alone. */
  readonly certainty: 'named' | 'shape' | 'here'
  /** Parts of the value that are secrets of their own, as the password in `user:password`. */
  readonly parts?: readonly string[]
  /** Written around the pseudonym where the value had no quotes: a number in JSON becomes a string. */
  readonly quote?: string
  /** Set while the end of the stretch has not been read: it ends where this matches. */
  readonly until?: RegExp
}
