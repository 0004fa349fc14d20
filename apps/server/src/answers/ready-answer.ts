/** One form of an answer, with all it is sent with. */
export interface ReadyForm {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Strong validator, quotes included: each form is a representation of its own. */
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers of a 304 in its place. */
  readonly unchangedHeaders: Readonly<Record<string, string>>
}

/** The forms an answer has besides the plain one, which it always has. */
export type Compression = 'none' | 'gzip' | 'br' | 'both'

/** Whether what is made in the first has every form of the second. */
export function includesCompression(made: Compression, wanted: Compression): boolean {
  return made === wanted || wanted === 'none' || made === 'both'
}

/** What has the forms of all of these. */
export function joinedCompression(all: readonly Compression[]): Compression {
  return all.reduce(
    (joined, one) =>
      includesCompression(joined, one) ? joined : includesCompression(one, joined) ? one : 'both',
    'none',
  )
}

/** An answer that is ready: made once, sent as it is. Plain data, so that it can be handed to another thread. */
export interface ReadyAnswer {
  readonly compression: Compression
  readonly plain: ReadyForm
  /** Null where it is not made. */
  readonly gzip: ReadyForm | null
  /** Null where it is not made, and where another form is smaller. */
  readonly br: ReadyForm | null
}

/** Everything a read endpoint answers with, from one snapshot. */
export interface Payloads {
  readonly status: ReadyAnswer
  readonly recommendations: ReadyAnswer
  readonly health: ReadyAnswer
  readonly stats: ReadyAnswer
}
export type PayloadName = keyof Payloads
export const payloadNames = [
  'status',
  'recommendations',
  'health',
  'stats',
] as const satisfies readonly PayloadName[]

/** The payloads that a page asks for again and again, and under which name what has changed of them since a version is read. */
export const changesNames = { status: 'changes', health: 'healthChanges' } as const
export type VersionedName = keyof typeof changesNames

/** What can be read: the payloads, and what has changed of some since a version of them. */
export const readNames = [...payloadNames, ...Object.values(changesNames)] as const
export type ReadName = (typeof readNames)[number]

/** What somebody reads. */
export interface Reading {
  readonly payload: ReadName
  readonly compression: Compression
}

/** What somebody asked for: a payload, the gauges of `/metrics`, or something else (null). */
export type Asked = Reading | 'gauges' | null

/** A payload that somebody reads. */
export interface PayloadReading extends Reading {
  readonly payload: PayloadName
}

/** How far each payload is to be compressed; those left out need not be made. */
export type Wanted = { readonly [Name in ReadName]?: Compression }

/** A version is named by the ETag of the answer without its quotes, whatever form is sent. */
export function versionOf({ plain }: ReadyAnswer): string {
  return plain.etag.slice(1, -1)
}

/** Whether an answer has every form of this compression. */
export function isCompressedTo(answer: ReadyAnswer, compression: Compression): boolean {
  return includesCompression(answer.compression, compression)
}
