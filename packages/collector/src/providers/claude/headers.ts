import type { EpochMs, QuotaSample, WindowReading } from '@svc/core'
import { isMainWindow } from '@svc/core/service'
import { instantFrom, numberFrom, textFrom } from '../../wire/wire-fields.ts'
import { EMPTY_SAMPLE, percentLeft, unknownNamesOf } from '../contract/quota-answer.ts'
import {
  headerTextsOf,
  type QuotaStatement,
  type Statements,
  statedIn,
  statementIn,
  wordOf,
} from '../contract/statements.ts'
import { windowOfLimit } from './usage-document.ts'

const STATUSES: Statements = {
  status: { allowed: 'allowed', allowed_warning: 'allowed', rejected: 'refused' },
}
const PREFIX = 'anthropic-ratelimit-unified-'
/** Name of a limit in a header: its length, then the model or feature it applies to. */
const LIMIT = /^([1-9]\d{0,2}[hd](?:_[a-z0-9_]{1,40})?)-(?:status|utilization|reset)$/
/** Headers about the whole answer, paid use or thresholds. */
const KNOWN =
  /^(?:status|reset|representative-claim|fallback(?:-percentage)?|upgrade-paths|overage-[a-z-]+|\w+-surpassed-threshold)$/
const LIMITS_MAX = 32

/** The quota in the vendor's headers, or in the proxy's `signals` of the same names; null if they have none. See docs/upstream.md#claude-quota. */
export function windowsFromHeaders(headers: unknown, sampledAt: EpochMs): QuotaSample | null {
  const { limits, account, unknownNames } = unifiedLimitsIn(headers)
  if (limits.length === 0 && account.word === 'silent') return null
  const organization = textFrom(headerTextsOf(headers).get('anthropic-organization-id'))
  return {
    ...EMPTY_SAMPLE,
    origin: 'headers',
    sampledAt,
    windows: limits.map(({ reading }) => reading),
    ...statedIn(account),
    ...unknownNamesOf(unknownNames),
    ...(organization !== null && { vendorIdentity: organization }),
  }
}

/** Limits in the headers of an answer. */
interface UnifiedLimits {
  /** A limit that rejects requests has nothing left. */
  readonly limits: readonly { readonly reading: WindowReading; readonly isRejecting: boolean }[]
  /** The vendor's statement about the account, not about one of its models. */
  readonly account: Pick<QuotaStatement, 'word'>
  readonly unknownNames: readonly string[]
}

/** Reads the limits in the vendor's headers, which give the used share as a fraction. */
export function unifiedLimitsIn(headers: unknown): UnifiedLimits {
  const fields = new Map<string, string>()
  for (const [name, value] of headerTextsOf(headers))
    if (name.startsWith(PREFIX)) fields.set(name.slice(PREFIX.length), value)
  // The status and the reset of the answer as a whole are those of the limit that it names.
  const claimed = limitOfClaim(wordOf(fields.get('representative-claim')))
  const listed = [...fields.keys()].flatMap((name) => LIMIT.exec(name)?.[1] ?? [])
  const names = [...new Set([...listed, ...(claimed === null ? [] : [claimed])])]

  const whole = statementIn(STATUSES, (field) => fields.get(field))
  const read = names.slice(0, LIMITS_MAX).map((name) => {
    const fieldOf = (field: string) =>
      fields.get(`${name}-${field}`) || (name === claimed ? fields.get(field) : undefined)
    const { word, unknownNames } = statementIn(STATUSES, fieldOf)
    const used = numberFrom(fieldOf('utilization'))
    const isRejecting = word === 'refused'
    const percent = isRejecting ? 0 : percentLeft(used === null ? null : used * 100)
    const window = windowOfLimit(name)
    const resetAt = instantFrom(fieldOf('reset'))
    const limits =
      percent === null ? [] : [{ reading: { ...window, percent, resetAt }, isRejecting }]
    return { limits, isMain: isMainWindow(window.id), word, unknownNames }
  })
  return {
    limits: read.flatMap(({ limits }) => limits),
    account: { word: wordAboutAccount(read, whole) },
    unknownNames: [
      ...[...fields.keys()].filter((name) => !LIMIT.test(name) && !KNOWN.test(name)),
      ...[whole, ...read].flatMap(({ unknownNames }) => unknownNames),
    ],
  }
}

/**
 * The statement of the account's own limits. The statement about the whole answer may concern a single model or, while the own limits allow requests,
 * paid use.
 */
function wordAboutAccount(
  limits: readonly (Pick<QuotaStatement, 'word'> & { readonly isMain: boolean })[],
  whole: QuotaStatement,
): QuotaStatement['word'] {
  const own = limits.filter(({ isMain }) => isMain)
  if (own.some(({ word }) => word === 'refused')) return 'refused'
  const isWhole = own.length > 1 || (own.length > 0 && whole.word !== 'refused')
  if (isWhole && own.every(({ word }) => word === 'allowed')) return 'allowed'
  return limits.some(({ word }) => word === 'refused') ? 'silent' : whole.word
}

/** Header name of the limit that the vendor names as decisive for the whole answer; null for an unknown claim. */
function limitOfClaim(claim: string): string | null {
  const [, length, scope] = /^(five_hour|seven_day)((?:_[a-z0-9]+)*)$/.exec(claim) ?? []
  if (length === undefined || scope === undefined) return null
  return `${length === 'five_hour' ? '5h' : '7d'}${scope === '_overage_included' ? '_oi' : scope}`
}
