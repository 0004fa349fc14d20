/** Reason of a failed request, without any text of its answer. */
export interface FailureCause {
  /** 100 to 999; 0 if unknown. */
  readonly status: number
  /** The vendor's code in lower case, or `none`, `html` or `other`. */
  readonly code: string
}

const WORDS = /^[a-z]{1,16}(?:[_.-][a-z]{1,16}){0,5}$/i
/** Longest body that is parsed; a longer one costs more than its code is worth. */
const PARSED_LENGTH_MAX = 32_768

/** Cause of a failure by the status and body of its answer. */
export function failureCauseOf(httpStatus: number, body: string): FailureCause {
  const isStatus = Number.isInteger(httpStatus) && httpStatus >= 100 && httpStatus <= 999
  return { status: isStatus ? httpStatus : 0, code: codeIn(body) }
}

function codeIn(body: string): string {
  if (/^\s*</.test(body)) return 'html'
  const error = errorIn(body)
  const { code, type, status } = isObject(error) ? error : {}
  const named = [code, type, status, error].find(
    (one): one is string => typeof one === 'string' && WORDS.test(one),
  )
  return named?.toLowerCase() ?? 'none'
}

/** The member `error` of a document, or of the first one in a list. */
function errorIn(body: string): unknown {
  // Many failures have no body, and a parser that throws is slow.
  if (body.length > PARSED_LENGTH_MAX || !/^[\s\uFEFF]*[[{]/.test(body)) return null
  try {
    const parsed: unknown = JSON.parse(body.replace(/^\uFEFF/, ''))
    const document: unknown = Array.isArray(parsed) ? parsed[0] : parsed
    return isObject(document) ? document.error : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const CAUSES_OF_PROVIDER_MAX = 64
const CAUSES_MAX = 1_000

/** A cause of the failures of one provider, by its number in a store. */
export interface ProviderCause extends FailureCause {
  readonly providerId: number
}

/** The one cause under which further causes of a provider are counted. */
export function otherCause({ providerId }: Pick<ProviderCause, 'providerId'>): ProviderCause {
  return { providerId, status: 0, code: 'other' }
}

/** The new causes beside those stored; of too many, in all or of one provider, the further ones become `otherCause`. */
export function causesWithin(
  stored: Iterable<ProviderCause>,
  added: readonly ProviderCause[],
): readonly ProviderCause[] {
  const counts = new Map<number, number>()
  let all = 0
  const withRoom = (cause: ProviderCause) => {
    const { providerId, status, code } = cause
    const count = counts.get(providerId) ?? 0
    if (status === 0 && code === 'other') return cause
    if (all >= CAUSES_MAX || count >= CAUSES_OF_PROVIDER_MAX) return otherCause(cause)
    counts.set(providerId, count + 1)
    all += 1
    return cause
  }
  for (const cause of stored) withRoom(cause)
  return added.map(withRoom)
}
