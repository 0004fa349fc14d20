import type { EpochMs, ProviderId } from '@svc/core'
import {
  readStatusMessage as readSharedMessage,
  type StatusMessage,
  type VerdictMessage,
} from '@svc/core/service'
import { documentOf, isRecord, textFrom } from '../../wire/wire-fields.ts'
import type { Provider } from './provider.ts'

/** The plan, the account or its workspace has ended; only its owner can restore it. */
const ENDED = { kind: 'auth_fault', code: 'account_ended', deactivated: true } as const

const SUBJECT =
  '(?:account|user|team|org(?:ani[sz]ation)?|workspace|tenant|consumer|seat|subscription|membership)'
const STATE =
  '(?:disabled|deactivated|suspended|banned|blocked|terminated|cancell?ed|expired|closed|deleted|locked|on.hold)'
/** Excludes quotes before the subject: quoted text may come from a client. */
const UNQUOTED = `^(?:[^"'\`]|\\w'\\w)*`

/**
 * Texts by which a vendor reports an ended account: codes, which fill a line and have `_` for everything but letters and digits, and fragments of
 * sentences.
 */
type Ends = Readonly<Partial<Record<'code' | 'words', RegExp>>>

/** End-of-account codes and sentences of single vendors. See docs/upstream.md#ended-accounts. */
const ENDS: ReadonlyMap<ProviderId, Ends> = new Map(
  Object.entries<Ends>({
    codex: { code: /^usage_not_included$/, words: /\bcodex with your chatgpt plan, upgrade\b/i },
    claude: {
      code: /^oauth_org_not_allowed$/,
      words:
        /\boauth authentication is (?:currently )?not allowed for this organi[sz]ation\b|\borgani[sz]ation (?:does not have access to claude\b|has disabled claude subscription access\b)/i,
    },
    xai: { words: /\bno active (?:super)?grok subscription\b/i },
  }),
)

/** End-of-account codes and sentences of any vendor. A reason after a colon that concerns money does not count. */
const CODE = new RegExp(`(?:^|[:_])(?:${SUBJECT}_${STATE}|${STATE}_${SUBJECT})(?:$|:)`)
const SENTENCE = new RegExp(
  [
    `${UNQUOTED}\\b${SUBJECT}(?: (?:id|\\S*[\\d("'@]\\S*|\\w+ly)){0,3} (?:(?:has been|is|was)(?: now| \\w+ly){0,2} ${STATE}|has (?:expired|ended))\\b`,
    `^(?:(?:this|the|your) )?${SUBJECT} (?:is )?${STATE}\\b`,
    `${UNQUOTED}\\b${STATE} (?:this |the |your )?(?:account|organi[sz]ation|workspace)\\b`,
  ].join('|'),
  'i',
)
/** Words that show that a text concerns a model, a limit or money rather than the account. */
const OF_A_PART =
  /(?:\b|_)(?:models?|features?|tools?|beta|balance|quota|credits?|spending|limits?|too many)(?:\b|_)/i
/** Longest line that is read as a sentence. */
const LENGTH_MAX = 500

/**
 * The end of an account reported in a refusal's body or the proxy's message; null if none is reported. A code counts with any status, a sentence not
 * with the status of a limit (429).
 */
export function endIn(
  provider: ProviderId,
  text: string,
  httpStatus?: number,
): typeof ENDED | null {
  const start = text.trimStart()
  if (start === '' || start.startsWith('<')) return null
  const lines = wordsOf(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length <= LENGTH_MAX)
  const { code, words } = ENDS.get(provider) ?? {}
  const ends = (own: RegExp | undefined, any: RegExp) => (line: string) =>
    own?.test(line) === true || (any.test(line) && !OF_A_PART.test(line))
  const codes = lines.filter((line) => /^\S+$/.test(line))
  const names = codes.map((line) => line.toLowerCase().replace(/[^a-z0-9:]+/g, '_'))
  const isEnded = names.some(ends(code, CODE))
  return isEnded || (httpStatus !== 429 && lines.some(ends(words, SENTENCE))) ? ENDED : null
}

/** Makes a vendor look for ended accounts first, in the proxy's message, in records and in answers to its queries. */
export function noticingEnds(provider: Provider): Provider {
  const { id } = provider
  const endOf = (httpStatus: number, body: string) =>
    httpStatus >= 400 && httpStatus < 500 ? endIn(id, body, httpStatus) : null
  return {
    ...provider,
    readStatusMessage: (text, at) => surerOf(endIn(id, text), provider.readStatusMessage(text, at)),
    refusalIn: (failure, at) =>
      surerOf(endOf(failure.httpStatus, failure.body), provider.refusalIn(failure, at)),
    windowsOf(answer) {
      const { status: httpStatus, body } = answer
      return endOf(httpStatus, body) === null
        ? provider.windowsOf(answer)
        : { kind: 'auth', httpStatus, revoked: true, ended: true }
    },
  }
}

/** Prefers the found end, unless the vendor's own reading has a code for an ended account. */
function surerOf<Told extends StatusMessage | null>(end: typeof ENDED | null, told: Told) {
  return end === null || (told?.kind === 'auth_fault' && told.deactivated) ? told : end
}

/** The login was revoked for good. */
export const REVOKED = { kind: 'auth_fault', code: 'token_revoked', deactivated: false } as const
/** The login was refused, perhaps only because it has expired and the proxy has yet to renew it. */
export const REFUSED = { ...REVOKED, code: 'unauthorized', suspected: true } as const
/** Codes of a refusal that an expired login may also cause. */
export const REFUSED_CODES: ReadonlySet<string> = new Set([
  'unauthorized',
  'authentication_error',
  'auth_unavailable',
])
/** A reached limit without a known reset. */
export const LIMITED = { kind: 'quota' } as const
/** The plan's own allowance is used up. */
export const PLAN_USED_UP = { kind: 'quota', planUsedUp: true } as const

/** Meanings of a vendor's codes and words; the first match counts. A code fills a whole line. */
export type Meanings = readonly (readonly [RegExp, VerdictMessage])[]

/** Reads a message by its words if it is not the proxy's own: the body of the vendor's refusal, or a short text. */
export function readByWords(text: string, at: EpochMs | null, meanings: Meanings): StatusMessage {
  const message = readSharedMessage(text, at)
  if (message.kind !== 'other' && message.kind !== 'auth_fault') return message
  const words = wordsOf(text)
  return meanings.find(([pattern]) => pattern.test(words))?.[1] ?? message
}

/** Codes and words of a refusal, one per line. */
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
