import type { Compression, ReadyAnswer } from './ready-answer.ts'

/** Values of the parameters that leave accounts out, as given; at least one in each list. */
export interface FilterValues {
  readonly plan?: readonly string[]
  readonly provider?: readonly string[]
  readonly upstream?: readonly string[]
}

/** Request for a payload about a part of the pool; of status and health the part is one proxy, without a cut. */
export interface FilteredReading {
  readonly payload: 'recommendations' | 'status' | 'health'
  readonly compression: Compression
  readonly filter: FilterValues
  /** Whether the ranking leaves blocked accounts out. */
  readonly routable?: boolean
  /** Accounts of the ranking at most. */
  readonly limit?: number
}

/** Question for one account. It names accounts by `authName`. */
export interface PickQuestion {
  /** Caller that is remembered; left out: nobody is. */
  readonly as?: string
  readonly keep?: string | undefined
  readonly avoid?: readonly string[] | undefined
  /** Account that just refused the remembered caller. */
  readonly failed?: string | undefined
  /** Whether the remembered caller is to be forgotten, and gets no account. */
  readonly release?: boolean | undefined
  readonly filter: FilterValues
}

/** A parameter with a value that it does not take, and what it takes. */
export interface UnknownValue {
  readonly unknown: { readonly parameter: string; readonly allowed: readonly string[] }
}

/** An answer for part of the pool, or the value of the question that nobody knows. */
export type FilteredPayload = { readonly answer: ReadyAnswer } | UnknownValue
