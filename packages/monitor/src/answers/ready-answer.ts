import type { ErrorSlug, ReadError } from '@svc/views'
/** Values of the filter parameters, as given; at least one in each list. */
export interface FilterValues {
  readonly plan?: readonly string[]
  readonly provider?: readonly string[]
  readonly upstream?: readonly string[]
}

/** Request for a payload about part of the pool. Only the ranking takes `routable` and `limit`. */
export interface FilteredReading {
  readonly payload: 'recommendations' | 'status' | 'health' | 'capacity'
  readonly compression: Compression
  readonly filter: FilterValues
  /** Whether the ranking leaves blocked accounts out. */
  readonly routable?: boolean
  /** Maximum number of accounts in the ranking. */
  readonly limit?: number
}

/** Request for one account; accounts are named by `authName`. */
export interface PickQuestion {
  /** Caller to remember; none if left out. */
  readonly as?: string
  readonly keep?: string | undefined
  readonly avoid?: readonly string[] | undefined
  /** Account that just refused the remembered caller. */
  readonly failed?: string | undefined
  /** Whether the remembered caller is to be forgotten, and gets no account. */
  readonly release?: boolean | undefined
  readonly filter: FilterValues
}

/** A parameter with an invalid value, and the values that it allows. */
export interface UnknownValue {
  readonly unknown: { readonly parameter: string; readonly allowed: readonly string[] }
}

/** An answer for part of the pool, or the unknown value in the request. */
export type FilteredPayload = { readonly answer: ReadyAnswer } | UnknownValue

/** Reason why a request is not answered, with what its error says about it. */
export interface Refusal {
  readonly refusal: { readonly slug: ErrorSlug; readonly details: Partial<ReadError> }
}

/** One form of an answer, with its headers. */
export interface ReadyForm {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Strong validator, quotes included. Each form is a separate representation. */
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers of the 304 that may replace the answer. */
  readonly unchangedHeaders: Readonly<Record<string, string>>
}

/** Forms of an answer in addition to the plain one, which always exists. */
export type Compression = 'none' | 'gzip' | 'br' | 'both'

/** Whether an answer made with the first compression has every form of the second. */
export function includesCompression(made: Compression, wanted: Compression): boolean {
  return made === wanted || wanted === 'none' || made === 'both'
}

/** The smallest compression that includes all of these. */
export function joinedCompression(all: readonly Compression[]): Compression {
  return all.reduce(
    (joined, one) =>
      includesCompression(joined, one) ? joined : includesCompression(one, joined) ? one : 'both',
    'none',
  )
}

/** An answer that is ready: encoded once and sent unchanged. Plain data, so that it can be passed to another thread. */
export interface ReadyAnswer {
  readonly compression: Compression
  readonly plain: ReadyForm
  /** Null if it is not made. */
  readonly gzip: ReadyForm | null
  /** Null if it is not made, or if another form is smaller. */
  readonly br: ReadyForm | null
}

/** Answers of all read endpoints, made from one snapshot. */
export interface Payloads {
  readonly status: ReadyAnswer
  readonly recommendations: ReadyAnswer
  readonly health: ReadyAnswer
  readonly stats: ReadyAnswer
}
export type PayloadName = keyof Payloads
/** Payloads that are encoded with each snapshot. */
export const payloadNames = [
  'status',
  'recommendations',
  'health',
  'stats',
] as const satisfies readonly PayloadName[]

/** One payload in one compression, as requested by a reader. */
export interface Reading {
  readonly payload: PayloadName
  readonly compression: Compression
}

/** Subject of a request: a payload, the gauges of `/metrics`, the events, or anything else (null). */
export type Asked = Reading | 'gauges' | 'events' | null

/** Compression wanted for each payload; payloads left out need not be made. */
export type Wanted = { readonly [Name in PayloadName]?: Compression }

/** Version of an answer: its ETag without quotes, the same for every form. */
export function answerVersionOf({ plain }: ReadyAnswer): string {
  return plain.etag.slice(1, -1)
}

/** Whether an answer has every form of this compression. */
export function isCompressedTo(answer: ReadyAnswer, compression: Compression): boolean {
  return includesCompression(answer.compression, compression)
}
