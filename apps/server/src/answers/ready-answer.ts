/** One form of an answer, with all it is sent with. */
export interface ReadyForm {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Strong validator, quotes included: each form is a representation of its own. */
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers of a 304 in its place. */
  readonly unchangedHeaders: Readonly<Record<string, string>>
}

/** An answer that is ready: made once, sent as it is. Plain data, so that it can be handed to another thread. */
export interface ReadyAnswer {
  readonly plain: ReadyForm
  readonly gzip: ReadyForm
  /** Null unless it is smaller than gzip. */
  readonly br: ReadyForm | null
}

/** Everything a read endpoint answers with, from one snapshot. */
export interface Payloads {
  readonly status: ReadyAnswer
  readonly recommendations: ReadyAnswer
  readonly health: ReadyAnswer
  readonly stats: ReadyAnswer
}
