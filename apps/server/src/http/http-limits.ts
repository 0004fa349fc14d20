/** Resource limits for one client. See docs/limits.md#what-a-client-may-take-up. */
export interface HttpLimits {
  readonly urlLength: number
  readonly headerBytes: number
  readonly headerMs: number
  readonly requestMs: number
  /** Longest time a client may take to receive a ready answer, or a part of a streamed one. */
  readonly answerMs: number
  readonly keepAliveMs: number
  readonly connections: number
  /** Longest wait for running answers when stopping. */
  readonly stopMs: number
}

export const httpLimits: HttpLimits = {
  urlLength: 4096,
  headerBytes: 16 * 1024,
  headerMs: 10_000,
  requestMs: 30_000,
  answerMs: 30_000,
  keepAliveMs: 5_000,
  connections: 1024,
  stopMs: 5_000,
}
