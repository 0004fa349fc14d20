import { bytesAmong, stretchesOf } from '../patterns/stretches.ts'
import type { Reading } from './reading.ts'

/** Decoded stretches of a text, separated by zeros. */
export interface DecodedRuns {
  /** All stretches. */
  readonly all: Reading
  /** Stretches that read as text, and so may hold further encodings; null if there are none. */
  readonly readable: Reading | null
}

const BASE64_RUN = /[A-Za-z0-9+/_-]{8,}={0,2}(?:\r?\n[ \t]*[A-Za-z0-9+/_-]{4,}={0,2})*/y
const HEX_RUN = /[0-9a-fA-F]{12,}(?:\r?\n[ \t]*[0-9a-fA-F]{2,})*/y
const HEX_LIST =
  /(?:(?:0x|\\x|=)?[0-9a-fA-F]{2}(?:[ ,:;-]{1,2}(?:\r?\n[ \t]*)?|\r?\n[ \t]+)){5,}(?:0x|\\x|=)?[0-9a-fA-F]{2}/g
const DECIMAL_LIST = /(?:-?\d{1,3}[,;:| ]\s{0,12}){5,}-?\d{1,3}/g

/** Value of a Base64 character of either alphabet; 64 for every other byte. */
const SIX_BITS = new Uint8Array(256).fill(64)
for (const [index, sign] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
].entries())
  SIX_BITS[sign.charCodeAt(0)] = index
SIX_BITS[0x2d] = 62
SIX_BITS[0x5f] = 63
const HEX_DIGIT = new Uint8Array(256).fill(16)
for (const [index, sign] of [...'0123456789abcdef'].entries()) {
  HEX_DIGIT[sign.charCodeAt(0)] = index
  HEX_DIGIT[sign.toUpperCase().charCodeAt(0)] = index
}

/** Decodes the text as Base64, as hexadecimal digits and as lists of numbers, from every offset at which a group may begin. */
export function decodedRuns(text: string): readonly DecodedRuns[] {
  const found: DecodedRuns[] = []
  const base64 = runsOf(text, BASE64_RUN, BASE64_SIGNS, 8).filter(({ 0: run }) => !isWord(run))
  if (base64.length > 0)
    for (let phase = 0; phase < 4; phase += 1)
      found.push(decode(text, base64, (builder, run, at) => base64Into(builder, run, at, phase)))
  const hex = runsOf(text, HEX_RUN, HEX_SIGNS, 12)
  if (hex.length > 0)
    for (let phase = 0; phase < 2; phase += 1)
      found.push(decode(text, hex, (builder, run, at) => hexInto(builder, run, at, phase)))
  const hexLists = [...text.matchAll(HEX_LIST)]
  if (hexLists.length > 0) found.push(decode(text, hexLists, hexListInto))
  const decimals = [...text.matchAll(DECIMAL_LIST)]
  if (decimals.length > 0) found.push(decode(text, decimals, decimalsInto))
  return found
}

const BASE64_SIGNS = bytesAmong(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-',
)
const HEX_SIGNS = bytesAmong('0123456789abcdefABCDEF')

/** Matches of an expression at the beginning of each stretch of these bytes. */
function runsOf(
  text: string,
  expression: RegExp,
  among: Uint8Array,
  lengthMin: number,
): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  let from = 0
  for (const { start } of stretchesOf(text, among, lengthMin)) {
    if (start < from) continue
    expression.lastIndex = start
    const match = expression.exec(text)
    if (match === null) continue
    found.push(match)
    from = start + match[0].length
  }
  return found
}

/** True for a word or a date rather than Base64. */
function isWord(run: string): boolean {
  return run.length < 24 && /^(?:[A-Z]?[a-z]+(?:[-_/][a-z]+)*|[\d-]+T?\d*)$/.test(run)
}

interface Builder {
  readonly bytes: Uint8Array
  readonly starts: Int32Array
  /** End of each byte in the text; 0 if the next byte starts there. */
  readonly ends: Int32Array
  length: number
}

function decode(
  text: string,
  runs: readonly RegExpExecArray[],
  into: (builder: Builder, run: string, at: number) => void,
): DecodedRuns {
  const size = runs.reduce((sum, { 0: run }) => sum + run.length + 2, 2)
  const all: Builder = {
    bytes: new Uint8Array(size),
    starts: new Int32Array(size),
    ends: new Int32Array(size),
    length: 0,
  }
  const readable: Builder = {
    bytes: new Uint8Array(size),
    starts: new Int32Array(size),
    ends: new Int32Array(size),
    length: 0,
  }
  for (const { 0: run, index } of runs) {
    const from = all.length
    into(all, run, index)
    keepReadable(all, from, readable)
    put(all, 0, index + run.length)
    put(readable, 0, index + run.length)
  }
  const end = text.length
  all.starts[all.length] = end
  readable.starts[readable.length] = end
  return {
    all: readingOf(all),
    readable: readable.length > runs.length ? readingOf(readable) : null,
  }
}

function readingOf({ bytes, starts, ends, length }: Builder): Reading {
  return {
    bytes,
    length,
    placeOf: (index) => starts[index] ?? 0,
    endOf: (index) => ends[index] || (starts[index + 1] ?? 0),
  }
}

function put(builder: Builder, byte: number, start: number, end = 0): void {
  builder.bytes[builder.length] = byte
  builder.starts[builder.length] = start
  builder.ends[builder.length] = end
  builder.length += 1
}

const READABLE_SHARE = 0.75

/** Copies the bytes just decoded if they read as text, without the zeros of UTF-16. */
function keepReadable(all: Builder, from: number, readable: Builder): void {
  let signs = 0
  let zeros = 0
  for (let at = from; at < all.length; at += 1) {
    const byte = all.bytes[at] ?? 0
    if (byte === 0) zeros += 1
    else if ((byte >= 0x20 && byte < 0x7f) || byte === 10 || byte === 13 || byte === 9) signs += 1
  }
  const length = all.length - from
  if (signs + zeros < READABLE_SHARE * length || length < 6) return
  for (let at = from; at < all.length; at += 1) {
    const byte = all.bytes[at] ?? 0
    if (byte !== 0) put(readable, byte, all.starts[at] ?? 0, all.ends[at])
  }
}

function base64Into(builder: Builder, run: string, offset: number, phase: number): void {
  let bits = 0
  let count = 0
  let skipped = 0
  let last = offset
  for (let at = 0; at < run.length; at += 1) {
    const six = SIX_BITS[run.charCodeAt(at) & 255] ?? 64
    if (six === 64) continue
    if (skipped < phase) {
      skipped += 1
      continue
    }
    if (count === 0) last = offset + at
    bits = ((bits << 6) | six) & 0xffffff
    count += 6
    if (count >= 8) {
      count -= 8
      put(builder, (bits >> count) & 255, last)
      last = offset + at
    }
  }
}

function hexInto(builder: Builder, run: string, offset: number, phase: number): void {
  let high = -1
  let start = 0
  let skipped = 0
  for (let at = 0; at < run.length; at += 1) {
    const four = HEX_DIGIT[run.charCodeAt(at) & 255] ?? 16
    if (four === 16) continue
    if (skipped < phase) skipped += 1
    else if (high < 0) {
      high = four
      start = offset + at
    } else {
      put(builder, (high << 4) | four, start)
      high = -1
    }
  }
}

function hexListInto(builder: Builder, run: string, offset: number): void {
  for (const { 0: pair, index } of run.matchAll(/[0-9a-fA-F]{2}(?![0-9a-fA-Fx])/g)) {
    put(builder, Number.parseInt(pair, 16), offset + index, offset + index + pair.length)
  }
}

function decimalsInto(builder: Builder, run: string, offset: number): void {
  for (const { 0: number, index } of run.matchAll(/-?\d+/g)) {
    put(builder, Number(number) & 255, offset + index, offset + index + number.length)
  }
}
