import { type NameRule, ruleOfName } from '../names/secret-names.ts'
import { beginsSetting, HEADER, isWrittenAsName, type Name } from './assigned-name.ts'
import { quoteAt, quotedValue } from './value-end.ts'

/** Closing quote of a name, which may precede the separator. */
const QUOTE_END = String.raw`(?:\\{0,16}["'${'`'}]|&(?:quot|apos|#0?34|#0?39);|%(?:25)*2[27]|\\{1,8}u002[27])`
const SEPARATOR = new RegExp(
  String.raw`${QUOTE_END}?[)\]]{0,2}(?:%5[dD])?[ \t]{0,64}(?:(?<=[ \t])\((?:[^()\n]{0,40})\)[ \t]{0,8})?(?:=>|:=|::|[:=]{1,3}|\?=|\+=|->|%(?:25)*3[dDaA]|&#0?61;|&equals;|\\{1,8}u003[dDaA]|\\[:=])(?:[ \t]|%20){0,64}`,
  'y',
)
/** `**password**: x`, `**password:** x`: in Markdown a sentence may follow instead; a value is one word or quoted. */
const EMPHASISED = new RegExp(
  String.raw`(?:${QUOTE_END}?[*_]{1,3}[ \t]{0,4}(?:\([^()\n]{0,40}\)[ \t]{0,4})?[:=]|[ \t]{0,4}[:=][*_]{1,3})[ \t]{1,8}(?=(?:(["'${'`'}])[^\r\n]{1,256}\1|[^ \t\r\n]{1,256})[ \t]*(?:[\r\n]|$))`,
  'y',
)
/** In a list of arguments a flag and its value are separate texts. */
const FLAG_SEPARATOR = new RegExp(
  String.raw`${QUOTE_END}[ \t]*,[ \t\r\n]{0,64}(?:\\{0,16}"\d{1,9}\\{0,16}"[ \t]*:[ \t\r\n]{0,64})?(?=${QUOTE_END})(?!\\{0,16}"[\w.-]{1,64}\\{0,16}"[ \t]*:)`,
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
  String.raw`${QUOTE_END}[ \t]{0,8},[ \t\r\n]{0,64}(?=${QUOTE_END}|\d{4}|(?:new[ \t]+)?[A-Za-z_][\w.]{0,40}\(["'])`,
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
  const typed = rule.hides === 'always' ? matchEnd(TYPED, text, name.end) : null
  if (typed !== null) return typed
  const php = matchEnd(PHP, text, name.end)
  if (php !== null) return php
  const emphasised = rule.hides === 'always' ? matchEnd(EMPHASISED, text, name.end) : null
  if (emphasised !== null) return emphasised
  const after = matchEnd(SEPARATOR, text, name.end)
  // A value may begin with the equals sign: a line that starts with the name is not a comparison.
  if (
    after !== null &&
    /^={2}/.test(text.slice(name.end, name.end + 2)) &&
    !/[ \t]/.test(text[after - 1] ?? '') &&
    beginsSetting(text, name)
  )
    return name.end + 1
  if (after !== null)
    return isNamespace(text, name.end) ||
      isCondition(text, name) ||
      isComparison(text, name.end, after)
      ? null
      : after
  if (rule.hides !== 'always') return null
  const isFlag =
    /(?:^|[ \t\r\n"'=([,])-{1,2}$/.test(text.slice(Math.max(0, name.start - 3), name.start)) ||
    name.text.startsWith('-')
  if (isFlag) {
    const inList = /\[[^\]\n]{0,256}$/.test(text.slice(Math.max(0, name.start - 260), name.start))
      ? matchEnd(BARE_ARGUMENT, text, name.end)
      : null
    return (
      matchEnd(DEFAULT, text, name.end) ??
      matchEnd(FLAG_SEPARATOR, text, name.end) ??
      matchEnd(BLANKS, text, name.end) ??
      inList
    )
  }
  return (
    argumentStart(text, name) ??
    matchEnd(OTHERWISE, text, name.end) ??
    directiveStart(text, name.start, name.end, name.text) ??
    (REFUSAL.test(text.slice(Math.max(0, name.start - 24), name.start))
      ? matchEnd(REFUSED, text, name.end)
      : null) ??
    matchEnd(PROSE, text, name.end)
  )
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
  const opening = /[([][ \t\r\n]{0,64}\\{0,16}["'`]$/.exec(
    text.slice(Math.max(0, name.start - 84), name.start),
  )?.[0][0]
  if (opening === '(' || HEADER.test(name.text)) return at
  return opening === '[' &&
    value !== null &&
    /^\\{0,16}["'`][ \t\r\n]{0,64}\]/.test(text.slice(value.end, value.end + 84))
    ? at
    : null
}

/** True for `x ? 'token' : 'none'`: a value, not a name. */
function isCondition(text: string, name: Name): boolean {
  return (
    /\?[ \t\r\n]{0,8}["'`]?(?:[\w$]{1,64}\.)?$/.test(
      text.slice(Math.max(0, name.start - 80), name.start),
    ) && !/[?&]["'`]?$/.test(text.slice(Math.max(0, name.start - 2), name.start))
  )
}

/** True for `token === other`: the other side counts only if it is quoted. */
function isComparison(text: string, from: number, to: number): boolean {
  return text.slice(from, to).includes('==') && !/["'`]/.test(text[to] ?? '')
}

/** True for `std::string`, `Auth::login()`: no value follows. */
function isNamespace(text: string, at: number): boolean {
  return text.startsWith('::', at) && /^::[A-Za-z_]\w*[(:;]/.test(text.slice(at, at + 80))
}

/** Commands before the name of a secret in server files and shells, where only blanks follow the name. */
const VERB =
  /(?:^|\n)[ \t]*(?:proxy_set_header|grpc_set_header|(?:fastcgi|uwsgi|scgi)_param|add_header|more_set_(?:input_)?headers|header_(?:up|down)|header|set_header|SetEnv|SetEnvIf[ \t]+\S{1,64}[ \t]+\S{1,64}|(?:Request)?Header[ \t]+(?:always[ \t]+)?(?:set|add|append|merge|setifempty)|ENV|ARG|http-(?:request|response)[ \t]+(?:set|add)-header|set(?:[ \t]+-{1,2}\w+){1,3}|setenv|setx|(?:npm|yarn|pnpm)[ \t]+config[ \t]+set|git[ \t]+config(?:[ \t]+--\w+)?|aws[ \t]+configure[ \t]+set|config[ \t]+set|CONFIG[ \t]+SET|ALTER[ \t]+(?:USER|ROLE)[ \t]+\S{1,64}(?:[ \t]+WITH)?|user[ \t]+\S{1,64}|stats)[ \t]+(?:\/\/[\w.-]{1,128}\/?[\w./-]{0,128}:)?["'+>]?$/i
/** Names that begin a line of their own in settings files, followed by any value. */
const OWN_LINE =
  /^(?:requirepass|masterauth|auth_pass|insecure-password|password|passwd|passphrase|secret|api_?key|auth_?token|client_?secret|private_?key|wpa_passphrase|psk)$/i
const BEFORE_LENGTH = 200
const REST = /([ \t]+)(\S{1,1024})[ \t]*(?:;[ \t]*)?(?:#[^\r\n]{0,200})?(?=\r?\n|\r?$)/y

/** Start of the value of a name that follows a command or begins its line; null for other names. */
function directiveStart(text: string, start: number, end: number, name: string): number | null {
  const gap = /^["']?[ \t]{1,64}(?=[^ \t\r\n=:])/.exec(text.slice(end, end + 68))?.[0]
  if (gap === undefined) return null
  const before = text.slice(Math.max(0, start - BEFORE_LENGTH), start)
  if (VERB.test(before)) return end + gap.length
  if (!/(?:^|\n)[ \t]*$/.test(before)) return null
  REST.lastIndex = end
  const [, blanks = '', value = ''] = REST.exec(text) ?? []
  if (value === '') return null
  const isSetting =
    OWN_LINE.test(name) || blanks.length > 1 || blanks.includes('\t') || /[\d!@#$%^&*?]/.test(value)
  return isSetting && !/^[|=<(-]/.test(value) ? end + blanks.length : null
}

/** End of a sticky expression's match at this place; null without a match. */
export function matchEnd(expression: RegExp, text: string, at: number): number | null {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : null
}
