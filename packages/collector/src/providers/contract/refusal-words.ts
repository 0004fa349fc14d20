import type { EpochMs, ProviderId } from '@svc/core'
import {
  readStatusMessage as readSharedMessage,
  type StatusMessage,
  type VerdictMessage,
} from '@svc/core/service'
import { isRecord, textFrom } from '../../wire/wire-fields.ts'
import type { Provider } from './provider.ts'
import { documentOf } from './quota-answer.ts'

/** The plan, the account or its workspace has ended: nothing but its owner can bring it back. */
const ENDED = { kind: 'auth_fault', code: 'account_ended', deactivated: true } as const

const SUBJECT =
  '(?:account|user|team|org(?:ani[sz]ation)?|workspace|tenant|consumer|seat|subscription|membership)'
const STATE =
  '(?:disabled|deactivated|suspended|banned|blocked|terminated|cancell?ed|expired|closed|deleted|locked|on.hold)'
/** Before the subject nothing is quoted: that may be a client's words. */
const UNQUOTED = `^(?:[^"'\`]|\\w'\\w)*`

/** Ends of a vendor: codes, which fill a line, with `_` for whatever is no letter or digit, and fragments of sentences. */
type Ends = Readonly<Partial<Record<'code' | 'words', RegExp>>>

/** Codes and sentences of a single vendor. See docs/upstream.md#ended-accounts. */
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

/** Sentences of any vendor. A reason of money after the colon does not count. */
const CODE = new RegExp(`(?:^|[:_])(?:${SUBJECT}_${STATE}|${STATE}_${SUBJECT})(?:$|:)`)
const SENTENCE = new RegExp(
  [
    `${UNQUOTED}\\b${SUBJECT}(?: (?:id|\\S*[\\d("'@]\\S*|\\w+ly)){0,3} (?:(?:has been|is|was)(?: now| \\w+ly){0,2} ${STATE}|has (?:expired|ended))\\b`,
    `^(?:(?:this|the|your) )?${SUBJECT} (?:is )?${STATE}\\b`,
    `${UNQUOTED}\\b${STATE} (?:this |the |your )?(?:account|organi[sz]ation|workspace)\\b`,
  ].join('|'),
  'i',
)
/** A model, a limit or money, rather than the account. */
const OF_A_PART =
  /(?:\b|_)(?:models?|features?|tools?|beta|balance|quota|credits?|spending|limits?|too many)(?:\b|_)/i
/** A longer text is no sentence. */
const LENGTH_MAX = 500

/**
 * The end of an account in a refusal: its body, or the proxy's message; null if it tells none. A code counts whatever its status, a sentence not as that of a
 * limit (429).
 */
export function endIn(
  provider: ProviderId,
  text: string,
  httpStatus?: number,
): typeof ENDED | null {
  if (text.trimStart().startsWith('<')) return null
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

/** A vendor that reads ends of accounts first, in the proxy's message, in records and in answers to its queries. */
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

/** The end, unless the vendor's own reading has a code for one. */
function surerOf<Told extends StatusMessage | null>(end: typeof ENDED | null, told: Told) {
  return end === null || (told?.kind === 'auth_fault' && told.deactivated) ? told : end
}

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
