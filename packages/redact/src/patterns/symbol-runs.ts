import type { Span } from '../span.ts'
import { bytesAmong, stretchesOf } from './stretches.ts'

/** Everything that is printed but blanks, quotes and backslashes. */
const RUN = bytesAmong('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&()*+,-./:;<=>?@[]^_{|}~')
const LENGTH_MIN = 20
const WEIGHED_LENGTH = 256
/** Signs that code and addresses have few of side by side. */
const ODD = /[!#$*;<>?@^|~]/g
const ODD_DISTINCT_MIN = 2
/** So often does a random text change between capitals, small letters, digits and signs, of 100 neighbours. */
const CHANGES_MIN = 45

/** Calls, elements of lists and expressions. */
const CODE = /[A-Za-z]{4}[(.[]|\$\{|a-z|A-Z|0-9|<\/?[a-z]\w{0,12}>/
/** What a value without quotes stands behind. */
const NAME = /^[A-Za-z_][\w.-]{0,64}(?:=|:(?!\/\/))/

/** Random texts of letters, digits and symbols, as generators of passwords make them. */
export function symbolRunsIn(text: string): Span[] {
  return stretchesOf(text, RUN, LENGTH_MIN).flatMap(({ start, end }) => {
    const run = text.slice(start, end)
    const from = NAME.exec(run)?.[0].length ?? 0
    const value = run.slice(from)
    return isDrawn(value.slice(0, WEIGHED_LENGTH)) ? [{ start: start + from, end, kind: 'secret', value, certainty: 'shape' } as const] : []
  })
}

function isDrawn(run: string): boolean {
  if (run.length < LENGTH_MIN || run.includes('://') || /[A-Za-z]{10}|<[a-z]+:[0-9a-f]{12}>/.test(run) || CODE.test(run)) return false
  if (!/[a-z]/.test(run) || !/[A-Z]/.test(run) || !/\d/.test(run)) return false
  if (new Set(run.match(ODD)).size < ODD_DISTINCT_MIN) return false
  let changes = 0
  for (let at = 1; at < run.length; at += 1) if (classOf(run.charCodeAt(at)) !== classOf(run.charCodeAt(at - 1))) changes += 1
  return changes * 100 >= CHANGES_MIN * (run.length - 1)
}

function classOf(code: number): number {
  if (code >= 97 && code <= 122) return 0
  if (code >= 65 && code <= 90) return 1
  return code >= 48 && code <= 57 ? 2 : 3
}
