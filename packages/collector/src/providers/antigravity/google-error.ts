import {
  type EpochMs,
  FIVE_HOUR_SECONDS,
  plusMs,
  type QuotaSample,
  WEEK_SECONDS,
  windowIdOf,
} from '@svc/core'
import { type StatusMessage, readStatusMessage as sharedReading } from '@svc/core/service'
import {
  documentOf,
  instantFrom,
  isRecord,
  isRefusedRefresh,
  parseGoDuration,
  textFrom,
} from '../../wire/wire-fields.ts'
import type { Provider, VendorFailure } from '../contract/provider.ts'
import { EMPTY_SAMPLE } from '../contract/quota-answer.ts'
import { REFUSED, REFUSED_CODES } from '../contract/refusal-words.ts'

const FAULT = { kind: 'auth_fault', code: 'unauthorized', deactivated: false } as const

/** Google's blocks of whole accounts, recognised by the words of the refusal. See docs/upstream.md#antigravity-quota. */
const BLOCKS = [
  { code: 'tos_violation', words: /TOS_VIOLATION|violation of (the )?terms of service/i },
  { code: 'validation_required', words: /VALIDATION_REQUIRED|verify your account/i },
  { code: 'not_eligible', words: /not eligible/i },
]

/** The error in a body of Google's APIs; null if it has none. In a stream, the error is the only element of a list. */
export function googleErrorOf(body: string) {
  const document = documentOf(body)
  const [answer]: readonly unknown[] = Array.isArray(document) ? document : [document]
  if (!isRecord(answer) || !isRecord(answer.error)) return null
  const { code, status, message, details } = answer.error
  return { code, status, message, details: Array.isArray(details) ? details.filter(isRecord) : [] }
}

/** The block of the whole account stated in a refusal (403); null if the refusal states none. */
export function blockIn(body: string) {
  const { message, details = [] } = googleErrorOf(body) ?? {}
  const said = [message, ...details.map(({ reason }) => reason)].map(textFrom).join('\n')
  const code = BLOCKS.find(({ words }) => words.test(said))?.code
  return code === undefined ? null : { ...FAULT, code, deactivated: code === 'tos_violation' }
}

/** Reads the vendor's message. A used-up quota concerns only a pool of models, so it is no verdict on the account: see `windowsFromRefusal`. */
export function readStatusMessage(text: string, at: EpochMs | null): StatusMessage {
  const message = sharedReading(text, at)
  if (message.kind === 'none' || message.kind === 'blocked') return message
  // Google names no deactivation in these words, but the proxy may write one of them for any 403.
  if (message.kind === 'auth_fault' && !message.deactivated)
    return REFUSED_CODES.has(message.code) ? { ...message, suspected: true } : message
  const code = googleErrorOf(text)?.code
  if (code === 401 || isRefusedRefresh(documentOf(text) ?? text)) return REFUSED
  return (code === 403 ? blockIn(text) : null) ?? { kind: 'other' }
}

/** Reads the refusal of a login. Only 400, 401 and 403 concern the login; an empty pool (429) and trouble at the vendor (5xx) do not. */
export const refusalIn: Provider['refusalIn'] = ({ httpStatus, body }, at) => {
  if (httpStatus !== 400 && httpStatus !== 401 && httpStatus !== 403) return null
  const message = readStatusMessage(body, at)
  if (message.kind === 'auth_fault') return message
  return httpStatus === 401 ? REFUSED : null
}

/** Shortest wait that counts as the reset of a window; a shorter one concerns the pace of requests. */
const RESET_SECONDS_MIN = 60

/** The used-up window in a refusal (429): five hours, or the week if the reset is further away. Null if the refusal names no pool or no time. */
export function windowsFromRefusal(
  { httpStatus, body }: VendorFailure,
  at: EpochMs,
): QuotaSample | null {
  const limit = httpStatus === 429 ? scopedLimitIn(body, at) : null
  if (limit === null || limit.resetAt === null) return null
  const { scope, models, resetAt } = limit
  const seconds = (resetAt - at) / 1000
  if (seconds < RESET_SECONDS_MIN) return null
  const periodSeconds = seconds > FIVE_HOUR_SECONDS ? WEEK_SECONDS : FIVE_HOUR_SECONDS
  const id = `${scope}:${windowIdOf(periodSeconds)}`
  return {
    ...EMPTY_SAMPLE,
    origin: 'error-body',
    sampledAt: at,
    windows: [{ id, periodSeconds, percent: 0, resetAt, models }],
  }
}

/** A used-up pool of models. */
export interface ScopedLimit {
  readonly scope: 'gemini' | '3p'
  /** The requested model; the pool contains others. */
  readonly models: readonly string[]
  /** Null if the refusal names no time. */
  readonly resetAt: EpochMs | null
}

/** The pool that a refusal (429) says is used up; null if it names no model of a known pool. `at`: time of the refusal, null when unknown. */
export function scopedLimitIn(body: string, at: EpochMs | null): ScopedLimit | null {
  const error = googleErrorOf(body)
  const info = error?.details.find(({ metadata }) => isRecord(metadata))
  if (error?.status !== 'RESOURCE_EXHAUSTED' || !isRecord(info?.metadata)) return null
  const { model, quotaResetTimeStamp, quotaResetDelay } = info.metadata
  const [, name, family] = /^((gemini|claude|gpt)-[\w.-]{1,60})$/i.exec(textFrom(model) ?? '') ?? []
  const seconds = parseGoDuration(textFrom(quotaResetDelay) ?? '')
  const afterDelay = at === null || seconds === null ? null : plusMs(at, seconds * 1000)
  const resetAt = instantFrom(quotaResetTimeStamp) ?? instantFrom(afterDelay)
  // A limit of the rate that names no time says nothing about the pool.
  if (name === undefined || (resetAt === null && info.reason !== 'QUOTA_EXHAUSTED')) return null
  return { scope: family?.toLowerCase() === 'gemini' ? 'gemini' : '3p', models: [name], resetAt }
}
