import type { Span } from '../span.ts'
import { bytesAmong, stretchesOf } from './stretches.ts'
import { isJoinedWords, isRandomText, readsLikeWords } from './tokens.ts'

/** Characters that tokens are made of. */
const RUN = bytesAmong('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_~-')
const RUN_LENGTH_MIN = 18
/** Text before the hash of a commit in the output of Git. */
const COMMIT_BEFORE = /(?:\bcommit |(?:^|\n)(?:parent|tree|merge) |\/commit\/)$/i
const CHECKSUM_BEFORE = /(sha(?:1|224|256|384|512)|md5|blake2b|blake3)[:=@ -]{1,3}["']?$/i
/** Bytes of each checksum. A value of another length is a secret, whatever name stands before it. */
const CHECKSUM_BYTES: Readonly<Record<string, number>> = {
  ...{ md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64, blake2b: 64, blake3: 32 },
}
/** A checksum in Base64, as lock files write it. */
const CHECKSUM_IN_RUN = /(sha(?:256|384|512))-([A-Za-z0-9+/]+={0,2})/gi
const BEFORE_LENGTH = 24
/** Length up to which a part between two slashes may be Base64 as well as a path segment. */
const SHORT_PART = 5

/** Finds random texts of about 20 and more characters. */
export function randomRunsIn(text: string): Span[] {
  const spans: Span[] = []
  for (const { start: index, end } of stretchesOf(text, RUN, RUN_LENGTH_MIN)) {
    const run = text.slice(index, end)
    const checksums = checksumsIn(run)
    for (const [from, to] of randomPiecesOf(run)) {
      const piece = run.slice(from, to)
      if (
        checksums.some(([start, stop]) => start <= from && to <= stop) ||
        isKnownHash(text, index + from, piece)
      )
        continue
      spans.push({
        start: index + from,
        end: index + to,
        kind: 'secret',
        value: piece,
        certainty: 'shape',
      })
    }
  }
  return spans
}

/** The random pieces of a run; the whole run if most of a path is random, because then it is Base64 with slashes. */
function randomPiecesOf(run: string): readonly (readonly [number, number])[] {
  const pieces = piecesOf(run).filter(([from, to]) => {
    const piece = run.slice(from, to)
    return piece.includes('/')
      ? !isJoinedWords(piece.replaceAll('/', '-')) &&
          isRandomText(piece.replaceAll('/', ''), piece.length)
      : isRandomText(piece)
  })
  const covered = pieces.reduce((sum, [from, to]) => sum + to - from, 0)
  if (
    covered === 0 ||
    covered < BASE64_SHARE * run.length ||
    !run.includes('/') ||
    /[-_~]/.test(run)
  )
    return pieces.map((piece) => betweenSlashes(run, piece))
  return [[run.lastIndexOf('=', pieces[0]?.[0] ?? 0) + 1, run.length]]
}

const BASE64_SHARE = 0.4

/** Strips the slashes of the surrounding path, so that a token has one pseudonym in a path and elsewhere. */
function betweenSlashes(
  run: string,
  [from, to]: readonly [number, number],
): readonly [number, number] {
  return [
    from > 0 && run[from] === '/' ? from + 1 : from,
    to < run.length && run[to - 1] === '/' ? to - 1 : to,
  ]
}

/** Splits a run into possible tokens: text after an equals sign, with its slashes if the parts between them are not words. */
function piecesOf(run: string): readonly (readonly [number, number])[] {
  const pieces: (readonly [number, number])[] = []
  for (const { 0: value, index } of run.matchAll(/[^=~]+={0,2}(?![^=~])|[^=~]+/g)) {
    if (value.includes('/')) pieces.push(...groupsOf(value, index))
    else pieces.push([index, index + value.length])
  }
  return pieces
}

/** Groups of neighbouring parts between slashes, none of which reads like words. */
function groupsOf(value: string, offset: number): readonly (readonly [number, number])[] {
  const groups: (readonly [number, number])[] = []
  let start = 0
  let from = 0
  for (let at = 0; at <= value.length; at += 1) {
    if (at < value.length && value.charCodeAt(at) !== 0x2f) continue
    if (isWritten(value.slice(from, at))) {
      if (from > start) groups.push([offset + start, offset + from])
      start = at
    }
    from = at + 1
  }
  groups.push([offset + start, offset + value.length])
  return groups
}

const WRITTEN =
  /^[._-]?(?:[A-Z]?[a-z]+\d{0,3}|[A-Z]+\d{0,3}|v?\d+|[a-z]+\d{0,2}(?:[-_][a-z0-9]+)+|[A-Z]+(?:[-_][A-Z0-9]+)+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+)$/

/** True for a path segment that is made of words and long enough to be sure. */
function isWritten(part: string): boolean {
  return part.length > SHORT_PART && WRITTEN.test(part) && readsLikeWords(part)
}

/** Ranges of Base64 checksums, including their names. */
function checksumsIn(run: string): readonly (readonly [number, number])[] {
  if (!/^sha|[^A-Za-z0-9]sha/i.test(run)) return []
  return [...run.matchAll(CHECKSUM_IN_RUN)].flatMap(
    ({ 0: whole, 1: name = '', 2: sum = '', index }) => {
      const bytes = CHECKSUM_BYTES[name.toLowerCase()] ?? 0
      const isWhole =
        sum.replace(/=+$/, '').length === Math.ceil((bytes * 4) / 3) &&
        (!sum.endsWith('=') || sum.length % 4 === 0)
      return isWhole ? [[index, index + whole.length] as const] : []
    },
  )
}

function isKnownHash(text: string, start: number, piece: string): boolean {
  if (!/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(piece)) return false
  const before = text.slice(Math.max(0, start - BEFORE_LENGTH), start)
  const checksum = CHECKSUM_BEFORE.exec(before)?.[1]?.toLowerCase()
  if (checksum !== undefined) return piece.length === 2 * (CHECKSUM_BYTES[checksum] ?? 0)
  if (!/^[0-9a-f]{40}$/.test(piece)) return false
  return (
    COMMIT_BEFORE.test(before) ||
    (/(?:^|\n)$/.test(before) && /^ [A-Za-z]/.test(text.slice(start + 40, start + 42)))
  )
}
