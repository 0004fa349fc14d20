import type { EpochMs } from '@svc/core'
import {
  readStatusMessage as readSharedMessage,
  type StatusMessage,
  type VerdictMessage,
} from '@svc/core/service'
import { isRecord, textFrom } from '../../wire/wire-fields.ts'
import { documentOf } from './quota-answer.ts'

/** The login was ended for good. */
export const REVOKED = { kind: 'auth_fault', code: 'token_revoked', deactivated: false } as const
/** The login was refused, in a way in which an expired one is refused too, until the proxy renews it. */
export const REFUSED = { ...REVOKED, code: 'unauthorized', suspected: true } as const
/** Codes of such a refusal. */
export const REFUSED_CODES: ReadonlySet<string> = new Set([
  'unauthorized',
  'authentication_error',
  'auth_unavailable',
])
/** A limit without a time. */
export const LIMITED = { kind: 'quota' } as const
/** The plan's own allowance is used up. */
export const PLAN_USED_UP = { kind: 'quota', planUsedUp: true } as const

/** Meanings of a vendor's codes and words; the first match counts. A code fills a whole line. */
export type Meanings = readonly (readonly [RegExp, VerdictMessage])[]

/** Reads a message by its words where it is none of the proxy's own: the body of the vendor's refusal, or a short text. */
export function readByWords(text: string, at: EpochMs | null, meanings: Meanings): StatusMessage {
  const message = readSharedMessage(text, at)
  if (message.kind !== 'other' && message.kind !== 'auth_fault') return message
  const words = wordsOf(text)
  return meanings.find(([pattern]) => pattern.test(words))?.[1] ?? message
}

/** Codes and words of a refusal, one a line. */
export function wordsOf(text: string): string {
  const body = documentOf(text)
  if (body === undefined) return text.trim()
  const places = isRecord(body) ? [body, body.error, body.detail].filter(isRecord) : []
  const words = places.flatMap(({ code, type, reason, error, detail, message }) => [
    ...[code, type, reason],
    ...[error, detail, message],
  ])
  return words.flatMap((word) => textFrom(word) ?? []).join('\n')
}
