/** One payload as it goes out: encoded once, served as it is. */
export interface EncodedPayload {
  readonly contentType: string
  readonly plain: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
  /** Strong validators, quotes included; the two encodings are two representations. */
  readonly plainEtag: string
  readonly gzipEtag: string
}

/** Everything a read endpoint answers with, from one snapshot. */
export interface Payloads {
  readonly status: EncodedPayload
  readonly recommendations: EncodedPayload
  readonly health: EncodedPayload
  readonly stats: EncodedPayload
}
