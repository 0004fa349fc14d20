import type { Span } from '../span.ts'

/** A stretch of a document: as it is, or to be replaced. */
export type Part = Plain | Hidden

export interface Plain {
  readonly kind: 'text'
  readonly text: string
  /** Offset in the document, without control sequences. */
  readonly start: number
}

export interface Hidden {
  readonly kind: 'hidden'
  readonly span: Span
  /** Everything that was found there; the span covers it. */
  readonly all: readonly Span[]
  /** The stretch before was the beginning of this one. */
  readonly goesOn: boolean
}

/** Takes a document in pieces of any size and gives it back in parts, in constant memory and in time that grows with its length. */
export interface DocumentReader {
  push(piece: string): readonly Part[]
  end(): readonly Part[]
}
