import { type NameRule, ruleOfName } from '../names/secret-names.ts'

const NAME_LENGTH_MAX = 96
const isNameSign = (text: string, at: number) => /[\w.-]/.test(text[at] ?? ' ')
/** A header holds its value to the end of the line. */
export const HEADER = /^(?:proxy-)?authorization$|cookie$|^x-.*(?:key|token|secret|auth|password)/i

/** `api_key`, `API_KEY`, `apiKey`, `X-Api-Key`; random letters hardly ever look so. */
const WRITTEN_AS_NAME =
  /^(?:[a-z][a-z\d]*(?:[_.-][a-z\d]+)*|[A-Z][A-Z\d]*(?:_[A-Z\d]+)*|[A-Za-z][a-z\d]*(?:-?[A-Z][a-z\d]+)*)$/

/** False for what holds the name of a secret by chance. */
export function isWrittenAsName(text: string): boolean {
  return text.split(' ').every((word) => WRITTEN_AS_NAME.test(word))
}

/** True for the name of a secret where a value may stand as well, as in a column of a table. */
export function isNameOfSecret(text: string): boolean {
  return isWrittenAsName(text) && ruleOfName(text)?.hides === 'always'
}

/** A name in running text, with what belongs to it. */
export interface Name {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The name around a stretch that looks like one of a secret. */
export function nameAround(text: string, from: number, to: number): Name {
  let start = from
  let end = to
  while (start > 0 && from - start < NAME_LENGTH_MAX && isNameSign(text, start - 1)) start -= 1
  while (end < text.length && end - to < NAME_LENGTH_MAX && isNameSign(text, end)) end += 1
  while (end > to && /[._-]/.test(text[end - 1] ?? '')) end -= 1
  const left = /[\\%]$/.test(text.slice(Math.max(0, start - 1), start))
    ? /^(?:[nrt](?=[A-Za-z])|[0-9A-Fa-f]{2})/.exec(text.slice(start, end))
    : null
  const begin = start + (left?.[0].length ?? 0)
  return { start: begin, end, text: text.slice(begin, end) }
}

/** Words before `key` say whose it is: `api key`, `management key`. */
export function ruleOf(text: string, name: Name): NameRule | null {
  const rule = ruleOfName(name.text)
  if (!/^(?:keys?|codes?)$/i.test(name.text)) return rule
  const owner = /([A-Za-z]{2,20}) $/.exec(text.slice(Math.max(0, name.start - 24), name.start))?.[1]
  const owned = owner === undefined ? null : ruleOfName(`${owner}_${name.text}`)
  return owned?.hides === 'always' ? owned : rule
}

/** True for a name at the beginning of a line, as in a file of settings. */
export function beginsSetting(text: string, name: Name): boolean {
  return /(?:^|\n)[ \t]*(?:export |set |ENV |ARG |- )?$/.test(
    text.slice(Math.max(0, name.start - 80), name.start),
  )
}
