import { isWrittenAsName, type NameRule, ruleOfName } from '../names/secret-names.ts'
import { lineEnd, matchEnd, QUOTE, quoteAt, quotedValue, textBefore } from './values.ts'

const NAME_LENGTH_MAX = 96
const isNameSign = (text: string, at: number) => /[\w.-]/.test(text[at] ?? ' ')
/** A header holds its value to the end of the line. */
export const HEADER = /^(?:proxy-)?authorization$|cookie$|^x-.*(?:key|token|secret|auth|password)/i

/** A name in running text, with what belongs to it. */
export interface Name {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The whole name around a stretch of it that looks like the name of a secret. */
export function nameAround(text: string, from: number, to: number): Name {
  let start = from
  let end = to
  while (start > 0 && from - start < NAME_LENGTH_MAX && isNameSign(text, start - 1)) start -= 1
  while (end < text.length && end - to < NAME_LENGTH_MAX && isNameSign(text, end)) end += 1
  while (end > to && /[._-]/.test(text[end - 1] ?? '')) end -= 1
  const left = /[\\%]$/.test(text[start - 1] ?? '')
    ? /^(?:[nrt](?=[A-Za-z])|[0-9A-Fa-f]{2})/.exec(text.slice(start, end))
    : null
  const begin = start + (left?.[0].length ?? 0)
  return { start: begin, end, text: text.slice(begin, end) }
}

/** Words before `key` say whose it is: `api key`, `management key`. */
export function ruleOf(text: string, name: Name): NameRule | null {
  const rule = ruleOfName(name.text)
  if (!/^(?:keys?|codes?)$/i.test(name.text)) return rule
  const owner = /([A-Za-z]{2,20}) $/.exec(textBefore(text, name.start, 24))?.[1]
  const owned = owner === undefined ? null : ruleOfName(`${owner}_${name.text}`)
  return owned?.hides === 'always' ? owned : rule
}

/** True for a name at the beginning of a line, as in a file of settings. */
export function beginsSetting(text: string, name: Name): boolean {
  return /(?:^|\n)[ \t]*(?:export |set |ENV |ARG |- )?$/.test(textBefore(text, name.start, 80))
}

/** Between a name, which may be quoted, and its value. */
const SEPARATOR = new RegExp(
  String.raw`${QUOTE}?[)\]]{0,2}(?:%5[dD])?[ \t]{0,64}(?:(?<=[ \t])\((?:[^()\n]{0,40})\)[ \t]{0,8})?(?:=>|:=|::|[:=]{1,3}|\?=|\+=|->|%(?:25)*3[dDaA]|&#0?61;|&equals;|\\{1,8}u003[dDaA]|\\[:=])(?:[ \t]|%20){0,64}`,
  'y',
)
/** `**password**: x`, `**password:** x`: in Markdown a sentence may follow instead; a value is one word or quoted. */
const EMPHASISED = new RegExp(
  String.raw`(?:${QUOTE}?[*_]{1,3}[ \t]{0,4}(?:\([^()\n]{0,40}\)[ \t]{0,4})?[:=]|[ \t]{0,4}[:=][*_]{1,3})[ \t]{1,8}(?=(?:(["'${'`'}])[^\r\n]{1,256}\1|[^ \t\r\n]{1,256})[ \t]*(?:[\r\n]|$))`,
  'y',
)
/** In a list of arguments a flag and its value are separate texts. */
const FLAG_SEPARATOR = new RegExp(
  String.raw`${QUOTE}[ \t]*,[ \t\r\n]{0,64}(?:\\{0,16}"\d{1,9}\\{0,16}"[ \t]*:[ \t\r\n]{0,64})?(?=${QUOTE})(?!\\{0,16}"[\w.-]{1,64}\\{0,16}"[ \t]*:)`,
  'y',
)
const BLANKS = /[ \t]{1,16}(?:\\\r?\n[ \t]*)?/y
/** `password is hunter2`, `IDENTIFIED BY 'x'`. */
const PROSE =
  /[ \t]{1,4}(?:(?:is|was|are|provided|given|supplied|entered|received)[ \t]{0,4}:[ \t]{1,4}(?=[^ \t\r\n])|(?:is|was|are)[ \t]{1,4}(?=[^ \t\r\n]*[\d!@#$%^&*?]))|[ \t]{1,4}(?:by[ \t]{1,4})?(?=["'])/iy
/** `var Token string = "x"`, `token: string = "x"`. */
const TYPED = /[ \t]{0,4}:?[ \t]{1,4}[A-Za-z_*][\w.*<>[\]]{0,40}[ \t]{0,8}:?=[ \t]{0,8}(?=["'`])/y
/** `process.env.TOKEN || "x"`, `os.getenv("TOKEN") or "x"`. */
const OTHERWISE = /(?:["'`]?\))?[ \t]{0,8}(?:\|\||\?\?=?|\bor\b|\?:)[ \t\r\n]{0,8}(?=["'`])/y
/** `add_argument('--password', default='x')`. */
const DEFAULT = /["'`][^()\n]{0,200}?\bdefault[ \t]{0,4}[:=][ \t]{0,4}(?=["'`])/y
/** `define('DB_PASSWORD', 'x')`, `("X-Api-Key", "x")`. */
const ARGUMENT = new RegExp(
  String.raw`${QUOTE}[ \t]{0,8},[ \t\r\n]{0,64}(?=${QUOTE}|\d{4}|(?:new[ \t]+)?[A-Za-z_][\w.]{0,40}\(["'])`,
  'y',
)
/** `"token";s:3:"x"` and `["token"]=> string(3) "x"`: PHP dumps. */
const PHP =
  /\\{0,16}"(?:;s:\d{1,9}:|(?::(?:"[\w\\]{1,128}":)?(?:protected|private))?\]=>[ \t\r\n]{0,64}string\(\d{1,9}\)[ \t])(?=\\{0,16}")/y
/** `[--token, x]`. */
const BARE_ARGUMENT = /[ \t]{0,8},[ \t]{0,8}(?=[^ \t\r\n"'\]-])/y
/** `invalid token x`, `bad password x`. */
const REFUSAL =
  /\b(?:invalid|bad|wrong|incorrect|unknown|expired|rejected|refused)[ \t](?:[A-Za-z]{2,16}[ \t])?$/i
const REFUSED = /[ \t]{1,4}(?=[^ \t\r\n]*[\d!@#$%^&*?])/y

/** Start of the value of a name; null without one. */
export function valueStart(text: string, name: Name, rule: NameRule): number | null {
  const isSure = rule.hides === 'always'
  const after = (shape: RegExp) => matchEnd(shape, text, name.end)
  const typed = (isSure ? (after(TYPED) ?? after(EMPHASISED)) : null) ?? after(PHP)
  if (typed !== null) return typed
  const separated = after(SEPARATOR)
  if (separated !== null) return behindSeparator(text, name, separated)
  if (!isSure) return null
  const isFlag =
    /(?:^|[ \t\r\n"'=([,])-{1,2}$/.test(textBefore(text, name.start, 3)) ||
    name.text.startsWith('-')
  if (isFlag)
    return (
      after(DEFAULT) ??
      after(FLAG_SEPARATOR) ??
      after(BLANKS) ??
      (/\[[^\]\n]{0,256}$/.test(textBefore(text, name.start, 260)) ? after(BARE_ARGUMENT) : null)
    )
  return (
    argumentStart(text, name) ??
    after(OTHERWISE) ??
    directiveStart(text, name) ??
    (REFUSAL.test(textBefore(text, name.start, 24)) ? after(REFUSED) : null) ??
    after(PROSE)
  )
}

/** The place behind a separator; null where it assigns nothing. */
function behindSeparator(text: string, name: Name, at: number): number | null {
  const isDoubled = text.startsWith('==', name.end)
  // A value may begin with the equals sign: a line that starts with the name is not a comparison.
  if (isDoubled && !/[ \t]/.test(text[at - 1] ?? '') && beginsSetting(text, name))
    return name.end + 1
  const isNamespace = /^::[A-Za-z_]\w*[(:;]/.test(text.slice(name.end, name.end + 80))
  // `x ? 'token' : 'none'`: a value, not a name.
  const isCondition =
    /\?[ \t\r\n]{0,8}["'`]?(?:[\w$]{1,64}\.)?$/.test(textBefore(text, name.start, 80)) &&
    !/[?&]["'`]?$/.test(textBefore(text, name.start, 2))
  // `token === other`: the other side counts only if it is quoted.
  const isComparison = text.slice(name.end, at).includes('==') && !/["'`]/.test(text[at] ?? '')
  return isNamespace || isCondition || isComparison ? null : at
}

/** Start of the value next to a name in a call or a tuple, in a list of two, or after the name of a header in a list. */
function argumentStart(text: string, name: Name): number | null {
  const at = matchEnd(ARGUMENT, text, name.end)
  if (at === null || !/["'`]/.test(text[name.start - 1] ?? '')) return null
  const quote = quoteAt(text, at)
  const value = quote === null ? null : quotedValue(text, at, quote)
  // A list of names is not a list of names and values.
  const second = value === null ? '' : text.slice(value.start, value.end)
  if (isWrittenAsName(second) && ruleOfName(second) !== null) return null
  const opening = /[([][ \t\r\n]{0,64}\\{0,16}["'`]$/.exec(textBefore(text, name.start, 84))?.[0][0]
  if (opening === '(' || HEADER.test(name.text)) return at
  return opening === '[' &&
    value !== null &&
    /^\\{0,16}["'`][ \t\r\n]{0,64}\]/.test(text.slice(value.end, value.end + 84))
    ? at
    : null
}

/** Commands before the name of a secret in server files and shells, where only blanks follow the name. */
const VERB =
  /(?:^|\n)[ \t]*(?:proxy_set_header|grpc_set_header|(?:fastcgi|uwsgi|scgi)_param|add_header|more_set_(?:input_)?headers|header_(?:up|down)|header|set_header|SetEnv|SetEnvIf[ \t]+\S{1,64}[ \t]+\S{1,64}|(?:Request)?Header[ \t]+(?:always[ \t]+)?(?:set|add|append|merge|setifempty)|ENV|ARG|http-(?:request|response)[ \t]+(?:set|add)-header|set(?:[ \t]+-{1,2}\w+){1,3}|setenv|setx|(?:npm|yarn|pnpm)[ \t]+config[ \t]+set|git[ \t]+config(?:[ \t]+--\w+)?|aws[ \t]+configure[ \t]+set|config[ \t]+set|CONFIG[ \t]+SET|ALTER[ \t]+(?:USER|ROLE)[ \t]+\S{1,64}(?:[ \t]+WITH)?|user[ \t]+\S{1,64}|stats)[ \t]+(?:\/\/[\w.-]{1,128}\/?[\w./-]{0,128}:)?["'+>]?$/i
/** Names that begin a line of their own in settings files, followed by any value. */
const OWN_LINE =
  /^(?:requirepass|masterauth|auth_pass|insecure-password|password|passwd|passphrase|secret|api_?key|auth_?token|client_?secret|private_?key|wpa_passphrase|psk)$/i
const REST = /([ \t]+)(\S{1,1024})[ \t]*(?:;[ \t]*)?(?:#[^\r\n]{0,200})?(?=\r?\n|\r?$)/y

/** Start of the value of a name that follows a command or begins its line; null for other names. */
function directiveStart(text: string, { start, end, text: name }: Name): number | null {
  const gap = /^["']?[ \t]{1,64}(?=[^ \t\r\n=:])/.exec(text.slice(end, end + 68))?.[0]
  if (gap === undefined) return null
  const before = textBefore(text, start, 200)
  if (VERB.test(before)) return end + gap.length
  if (!/(?:^|\n)[ \t]*$/.test(before)) return null
  REST.lastIndex = end
  const [, blanks = '', value = ''] = REST.exec(text) ?? []
  if (value === '') return null
  const isSetting =
    OWN_LINE.test(name) || blanks.length > 1 || blanks.includes('\t') || /[\d!@#$%^&*?]/.test(value)
  return isSetting && !/^[|=<(-]/.test(value) ? end + blanks.length : null
}

/** Scheme before a token, which tells its kind. */
export const SCHEME = /^(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256|Key)[ \t]+/i

const PASSWORD = /pass|pwd|secret|kennwort|contrasena|senha|phrase/i

/** Up to a blank or a shell operator, unless escaped by a backslash; a comma belongs to the word unless a list goes on. */
const SHELL_WORD = /^(?:\\[^\r\n]|,(?=[^ \t\r\n-])|[^ \t\r\n\\,;&|<>()"'`\]}])*/

const WORD_END = /[ \t\r\n,;&"'`<>)\]}|]|\\[rntu"']/
const ENCODED_WORD_END = /[ \t\r\n,;&"'`<>)\]}|]|\\[rntu"']|%26|%22|%20/

/** End of a value without quotes: of its line in settings and headers, else of the word. */
export function plainEnd(text: string, at: number, name: Name): number {
  const line = text.slice(at, lineEnd(text, at))
  // An unquoted value after a quoted name is a number or a word.
  const isEncoded = text.slice(name.end, at).includes('%')
  const stop = (end: RegExp, from = 0): number =>
    at + from + (end.exec(line.slice(from))?.index ?? line.length - from)
  const wordEnd = () => stop(isEncoded ? ENCODED_WORD_END : WORD_END, SCHEME.exec(line)?.[0].length)
  if (quoteAt(text, name.end) !== null) return wordEnd()
  const before = textBefore(text, name.start, 512)
  const beforeOnLine = before.slice(before.lastIndexOf('\n') + 1)
  if (/[?&]$/.test(beforeOnLine)) return stop(/[ \t\r\n&"<>#]|\\u0026|&amp;/)
  const opened = openQuote(beforeOnLine)
  if (opened !== null) {
    // Inside a quoted text, such as a header after `-H`, the value ends with the quote.
    const close = stop(opened === '"' ? /\\*"|\\[rn]/ : /\\*'|\\[rn]/)
    return HEADER.test(name.text) || PASSWORD.test(name.text) ? close : Math.min(close, wordEnd())
  }
  if (HEADER.test(name.text))
    return stop(
      beforeOnLine.includes('<')
        ? /\\[rn]|\\*["'`](?=[ \t\r\n,;)\]}]|$)|\\+["']|<\/?[A-Za-z]/
        : /\\[rn]|\\*["'`](?=[ \t\r\n,;)\]}]|$)|\\+["']/,
    )
  if (/^[ \t\r\n>*#-]*(?:export |set |setx |declare -x |ENV |ARG |- )?["']?$/i.test(beforeOnLine))
    return stop(/[ \t]+[#;](?=[ \t]|$)|[ \t]*,?$/)
  if (/[ \t]-{1,2}$/.test(textBefore(text, name.start, 3)) || name.text.startsWith('-'))
    return at + (SHELL_WORD.exec(line)?.[0].length ?? 0)
  if (PASSWORD.test(name.text))
    return stop(
      /\\[rn]|[,;|&"'`<>)\]}]|[ \t]+[\w.-]{1,40}[=:](?!\/\/)|[ \t]+(?:for|from|to|at|on|in|and|was|is)[ \t]|%26|[ \t]+-{1,2}\w/,
    )
  return wordEnd()
}

/** The quote still open at the end of a stretch of a line. */
function openQuote(before: string): string | null {
  let open: string | null = null
  for (let at = 0; at < before.length; at += 1) {
    const sign = before[at]
    if (sign === '\\') at += 1
    else if (
      open === null &&
      (sign === '"' || (sign === "'" && !/[A-Za-z]/.test(before[at - 1] ?? ' ')))
    )
      open = sign
    else if (sign === open) open = null
  }
  return open
}
