import type { Random } from './random.ts'

const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const CAPITALS = SMALL.toUpperCase()
const DIGITS = '0123456789'
const SIGNS = '!#$%&*+-/=?@^_~.:'
const HARD = `${SIGNS}"'\\<>(){}[];,| `
const BEYOND = 'éüñßøЖдя中文😀'

/** Random texts that must be found wherever they stand, because they are not words. */
export const tokens: Readonly<Record<string, (random: Random) => string>> = {
  'small letters and digits': (random) => random.text(SMALL + DIGITS, 24),
  Base32: (random) => random.text(`${CAPITALS}234567`, 32),
  '32 hexadecimal digits': (random) => random.bytes(16).toString('hex'),
  '24 bytes in Base64': (random) => random.bytes(24).toString('base64'),
  '32 mixed letters and digits': (random) => random.text(SMALL + CAPITALS + DIGITS, 32),
  '43 signs of Base64 for URLs': (random) => random.bytes(32).toString('base64url'),
  'a JWT': (random) =>
    [
      `{"alg":"RS256","kid":"${random.text(DIGITS, 8)}"}`,
      `{"sub":"${random.text(SMALL, 12)}","exp":${1_900_000_000 + random.int(1e6)}}`,
    ]
      .map((part) => Buffer.from(part).toString('base64url'))
      .concat(random.bytes(32).toString('base64url'))
      .join('.'),
  '20 small letters and digits': (random) => random.text(SMALL + DIGITS, 20),
  '40 mixed letters and digits': (random) => random.text(SMALL + CAPITALS + DIGITS, 40),
  '32 hexadecimal digits in groups': (random) =>
    random
      .bytes(16)
      .toString('hex')
      .replace(/.{8}(?=.)/g, `$&${random.pick(['-', ':', '_', '.'])}`),
  '24 letters and digits in groups': (random) =>
    [SMALL, DIGITS, SMALL + DIGITS, CAPITALS, DIGITS, SMALL + DIGITS]
      .map((alphabet) => random.text(alphabet, 4))
      .join(random.pick(['-', ':', '_', '.'])),
  '64 bytes in Base64': (random) => random.bytes(64).toString('base64'),
}

/** What people and machines use as passwords and keys: found by its name, by the configuration, or in another file. */
export const passwords: Readonly<Record<string, (random: Random) => string>> = {
  'a word with digits': (random) => `${random.text(SMALL, 7)}${random.text(DIGITS, 3)}`,
  'letters, digits and signs': (random) => random.text(SMALL + CAPITALS + DIGITS + SIGNS, 14),
  'signs that are escaped everywhere': (random) =>
    `${random.text(SMALL + CAPITALS + DIGITS, 6)}${random.text(HARD, 6)}${random.text(SMALL + DIGITS, 6)}`,
  'letters beyond ASCII': (random) =>
    `${random.text(SMALL + DIGITS, 6)}${random.text(BEYOND.slice(0, -2), 4)}${random.text(SMALL + DIGITS, 5)}`,
  'words with blanks': (random) => Array.from({ length: 4 }, () => random.text(SMALL, 6)).join(' '),
  'a key with a prefix': (random) => `sk-${random.text(SMALL + DIGITS, 20)}`,
  'a short key': (random) => random.text(SMALL + CAPITALS + DIGITS, 10),
}

/** The middle of what was written: no part of a secret may stay. */
export function coreOf(text: string): string {
  const length = Math.max(6, Math.floor(text.length / 2))
  const start = Math.floor((text.length - length) / 2)
  return text.slice(start, start + length)
}
