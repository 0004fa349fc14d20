import { BAN_SECONDS, RETRY_AFTER_SECONDS_MIN, type SourceFailureCode } from '@svc/core/service'
import { parseGoDuration } from '../wire/wire-fields.ts'

interface FailureDetail {
  readonly httpStatus?: number
  readonly wasSent?: boolean
  readonly retryAfterSeconds?: number | null
  readonly saysRefreshFailed?: boolean
  readonly isFromProxy?: boolean
  readonly hasReason?: boolean
}

/** Codes of failed calls to the proxy or the vendor. */
export type UpstreamFailureCode = Exclude<
  SourceFailureCode,
  'file_unreadable' | 'file_untrusted' | 'store_unavailable' | 'clock_doubted'
>

/** A failed call to the proxy or the vendor. The message is our own text: it never quotes what was sent or answered. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly code: UpstreamFailureCode
  /** Status of the answer; null if there was no answer or no call. */
  readonly httpStatus: number | null
  /** Seconds that the other side asked us to wait, counted from receipt; null without such a request. */
  readonly retryAfterSeconds: number | null
  /** False if the request certainly never reached the other side. */
  readonly wasSent: boolean
  /** True if the proxy said that it cannot refresh the login of a forwarded call. */
  readonly saysRefreshFailed: boolean
  /** True if the proxy itself answered: the answer has its headers, or its words about the key. */
  readonly isFromProxy: boolean
  /** True if the answer says in words why it refuses, so that its route exists. */
  readonly hasReason: boolean

  constructor(code: UpstreamFailureCode, message: string, detail: FailureDetail = {}) {
    super(message)
    this.code = code
    this.httpStatus = detail.httpStatus ?? null
    this.retryAfterSeconds = detail.retryAfterSeconds ?? null
    this.wasSent = detail.wasSent ?? true
    this.saysRefreshFailed = detail.saysRefreshFailed ?? false
    this.isFromProxy = detail.isFromProxy ?? false
    this.hasReason = detail.hasReason ?? false
  }
}

/** Converts any failure of a fetch. The cause is dropped deliberately, because an error about a header quotes the header. */
export function upstreamErrorOf(error: unknown): UpstreamError {
  const causes = causesOf(error)
  const own = causes.find((cause) => cause instanceof UpstreamError)
  if (own !== undefined) return own
  if (causes.some((cause) => messageOf(cause) === 'unexpected redirect')) {
    return new UpstreamError('redirected', 'the answer is a redirect, which is not followed')
  }
  const code = systemCodeIn(error) ?? ''
  const [, failure, message] =
    FAILURE_OF_SYSTEM_CODE.find(([pattern]) => pattern.test(code)) ?? UNREACHABLE
  return new UpstreamError(failure, message, { wasSent: !NEVER_SENT.test(code) })
}

const NEVER_SENT =
  /^(?:ENOTFOUND|EAI_|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)|CERT|SELF_SIGNED|^(?:ERR_TLS|ERR_SSL|UNABLE_TO_)/

/** True if the connection broke before an answer began, as on a kept-alive socket that the other side has closed. */
export function isClosedSocket(error: unknown): boolean {
  return causesOf(error).some((cause) => CLOSED_SOCKET_CODES.has(systemCodeOf(cause) ?? ''))
}

const CLOSED_SOCKET_CODES: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

const UNREACHABLE = [/(?:)/, 'unreachable', 'no connection, or it broke'] as const

/** Failures by the error codes of Node's network, TLS and HTTP layers. */
const FAILURE_OF_SYSTEM_CODE: readonly (readonly [RegExp, UpstreamFailureCode, string])[] = [
  [/^(?:ENOTFOUND|EAI_)/, 'dns', 'the host name cannot be resolved'],
  [/^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/, 'timeout', 'no answer in time'],
  [
    /CERT|SELF_SIGNED|^(?:ERR_TLS|ERR_SSL|UNABLE_TO_|HOSTNAME_|EPROTO$)/,
    'tls',
    'the TLS connection or certificate is not valid',
  ],
  [
    /^(?:HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES|UND_ERR_INVALID)/,
    'bad_payload',
    'the answer is not valid HTTP',
  ],
]

/** Depth to which the causes of an error are followed. */
const CAUSE_DEPTH_MAX = 8

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = []
  for (
    let cause = error;
    cause instanceof Error && causes.length < CAUSE_DEPTH_MAX;
    cause = cause.cause
  )
    causes.push(cause)
  return causes
}

/** Node's code for a failed connection, such as `ECONNREFUSED`, in an error or its causes; null without one. */
export function systemCodeIn(error: unknown): string | null {
  return (
    causesOf(error)
      .map(systemCodeOf)
      .find((code) => code !== null) ?? null
  )
}

function systemCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null
}

function messageOf(error: unknown): string | null {
  return error instanceof Error ? error.message : null
}

const BAN_TEXT = /^IP banned\b.*\bTry again in (\S+?)\.?$/
/** Longest wait for the end of a ban before the next call. */
const BAN_SECONDS_MAX = 24 * 3600

/** The refusal of a banned address, whose end the proxy's text names; null for a text that speaks of no ban. */
export function banIn(text: string, detail: FailureDetail): UpstreamError | null {
  if (!text.startsWith('IP banned')) return null
  const seconds = parseGoDuration(BAN_TEXT.exec(text)?.[1] ?? '') ?? BAN_SECONDS
  return new UpstreamError('banned', 'the proxy has banned this address', {
    ...detail,
    retryAfterSeconds: Math.min(BAN_SECONDS_MAX, Math.max(RETRY_AFTER_SECONDS_MIN, seconds)),
  })
}
