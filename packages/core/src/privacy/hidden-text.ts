/** Characters that delimit an address within a text. */
const OUTSIDE_ADDRESS = /[\s"'<>()[\]{}|,;:=/\\@]/u
/** A candidate for a token; `isToken` decides. Parts of a token of Google or a JWT, joined by dots, count as one. */
const RUN = /(?:eyJ[\w-]{5,}|ya29(?=\.))(?:\.[\w-]+)*|1\/\/[\w-]{16,}|[\w-]{8,}/g
const KNOWN_BEGINNING =
  /^(?:eyJ|ya29\.|1\/\/|GOCSPX-|xai-(?=\w{20})|(?:sk|pk|rk|ghp|gho|ghs|xox[abps])[-_])/
/** Length from which a run that mixes letters and digits is not a word. */
const RANDOM_LENGTH_MIN = 24

/**
 * The text with e-mail addresses as `user-3fa9` and token-like strings as `••••3fa9`; equal originals get equal marks, so that they stay
 * distinguishable. For display only: it does not make a text safe to publish.
 */
export function maskText(text: string): string {
  return maskAddresses(text).replace(RUN, (run) => (isToken(run) ? `••••${markOf(run)}` : run))
}

/** Substitute for a name chosen by a person, such as `user-3fa9`; equal names get equal substitutes. */
export function maskName(name: string): string {
  return `user-${markOf(name.toLowerCase())}`
}

function isToken(run: string): boolean {
  return (
    KNOWN_BEGINNING.test(run) ||
    (run.length >= RANDOM_LENGTH_MIN && /\d/.test(run) && /[A-Za-z]/.test(run))
  )
}

function maskAddresses(text: string): string {
  let masked = ''
  let taken = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at
    while (start > taken && !OUTSIDE_ADDRESS.test(text.charAt(start - 1))) start -= 1
    let end = at + 1
    while (end < text.length && !OUTSIDE_ADDRESS.test(text.charAt(end))) end += 1
    // A full stop after an address ends the sentence.
    while (text.charAt(end - 1) === '.') end -= 1
    if (start === at || end <= at + 1) continue
    masked += `${text.slice(taken, start)}user-${markOf(text.slice(start, end).toLowerCase())}`
    taken = end
  }
  return masked + text.slice(taken)
}

/** 32 bits derived from the text alone: FNV-1a. */
export function textHash(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}

/** Four hex digits derived from the text. */
function markOf(text: string): string {
  const hash = textHash(text)
  return (((hash >>> 16) ^ hash) & 0xffff).toString(16).padStart(4, '0')
}

/** A secret that prints as `***` wherever it is logged, serialised or joined; only `reveal` returns it. */
export class Redacted {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** The secret itself. Call only to pass it to its owner. */
  reveal(): string {
    return this.#secret
  }

  toString(): string {
    return '***'
  }

  toJSON(): string {
    return '***'
  }

  /** Symbol that Node's console and util.inspect look for. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***'
  }
}

/** The code or name of an error and the place in our code that threw it. Its message is left out, because it may quote anything. */
export function errorPlace(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const name = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const frames = (error.stack ?? '').replace(error.message, '')
  const place = /\n\s+at [^\n]*?([\w.-]+:\d+:\d+)\)?(?:\n|$)/.exec(frames)?.[1]
  return place === undefined ? name : `${name} at ${place}`
}

/** The code of an error of Node, as in `ENOENT`, for messages; the error's own text may quote anything. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
