/** What was replaced, as the summary counts it. */
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
  /** What equal stretches share, whatever their spelling. Byte text. */
  readonly value: string
  /** How certain it is that the value is a secret wherever else it stands: by its name, by its shape, or not at all. */
  readonly certainty: 'named' | 'shape' | 'here'
  /** Parts of the value that are secrets of their own, as the password in `user:password`. */
  readonly parts?: readonly string[]
  /** Set around the pseudonym, where what was replaced had none: a number in JSON becomes a string. */
  readonly quote?: string
  /** The stretch has no end yet: it goes on until this is found, which is not part of it. */
  readonly until?: RegExp
}
