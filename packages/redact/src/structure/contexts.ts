import { isHarmless, isOption } from '../names/harmless.ts'
import { ruleOfName } from '../names/secret-names.ts'
import { credentialsIn } from '../patterns/shapes.ts'
import type { Span } from '../span.ts'
import { namedSpan } from './fields.ts'
import { textBefore, valueAt } from './values.ts'

interface Option {
  /** Ends where the value begins. */
  readonly shape: RegExp
  /** Programs whose option it is; any when left out. */
  readonly programs?: RegExp
  /** A value without a colon is a name alone and stays. */
  readonly isPair?: true
}

const GAP = String.raw`(?:[ \t]{1,8}(?:\\\r?\n[ \t]*)?|=|["'][ \t]*,[ \t\r\n]{0,16})`
/** The names without their first dash, which is what is looked for. */
const option = (names: string, gap = GAP): RegExp =>
  new RegExp(String.raw`-(?<=(?:[ \t\r\n"'=([,|;&]|^)-)(?:${names})${gap}(?=[^ \t\r\n])`, 'g')

/** Options that take a secret and do not say so. */
const OPTIONS: readonly Option[] = [
  { shape: option('u|-user|U|-proxy-user|-proxy-user'), isPair: true },
  { shape: option('[A-Za-z]{1,6}u'), programs: /\bcurl\b/, isPair: true },
  { shape: option('a|-auth'), programs: /\b(?:https?|xhs?)[ \t]/, isPair: true },
  { shape: option('u|U|-user', '(?=[^\\s=-]{1,64}:)'), programs: /\bcurl\b/, isPair: true },
  {
    shape: option('p|P', `(?:${GAP})?`),
    programs:
      /\b(?:sshpass|mysql\w*|mariadb[\w-]*|docker login|podman login|htpasswd|sqlcmd|bcp|ftp|lftp|mongo|mongosh|mongodump)\b/,
  },
  { shape: option('a|-pass'), programs: /\bredis-(?:cli|benchmark)\b/ },
  { shape: option('w|y|D'), programs: /\bldap(?:search|modify|add|delete|passwd)\b/ },
  { shape: option('pass|passin|passout|k|K'), programs: /\bopenssl\b/ },
  { shape: option('b|-cookie'), programs: /\bcurl\b/, isPair: true },
  { shape: option('b|storepass|keypass|srcstorepass|deststorepass'), programs: /\bkeytool\b/ },
  { shape: option('p'), programs: /\b(?:docker|podman|az|oc|helm|buildah)\b/ },
]

/** A sign that ends an argument without quotes. */
const ARGUMENT_END = /[ \t\r\n"'`;|&<>)\],]/

const SPECIAL: readonly RegExp[] = [
  /\bIDENTIFIED[ \t]+(?:WITH[ \t]+[^ \t\r\n]{1,64}[ \t]+)?(?:BY|AS)[ \t]+(?:PASSWORD[ \t]+)?['"]([^'"\n]{1,1024})['"]/gi,
  // .netrc, .pgpass, .htpasswd, SCRAM, chpasswd.
  /\bmachine[ \t]+[^ \t\r\n]{1,255}[ \t\r\n]+login[ \t]+[^ \t\r\n]{1,255}[ \t\r\n]+password[ \t]+([^ \t\r\n]{1,1024})/g,
  /\blogin[ \t]+[^ \t\r\n]{1,255}[ \t\r\n]+password[ \t]+([^ \t\r\n]{1,1024})/g,
  /^(?:[\w.*-]{1,255}):(?:\d{1,5}|\*):(?:[\w.*-]{1,64}):(?:[\w.*-]{1,64}):([^ \t\r\n]{1,1024})$/gm,
  /^echo[ \t]+["']?([^ \t\r\n"'|]{3,256}:[^ \t\r\n"'|]{3,256})["']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd/gm,
  /\becho[ \t]+(?:-n[ \t]+)?["']?([^"'|\n]{3,1024}?)["']?[ \t]*\|[ \t]*(?:[\w./-]+[ \t]+){0,4}(?:--password-stdin|login|passwd|htpasswd|sudo -S|gpg)/g,
  /\b(?:AUTH|auth)[ \t]+(?:default[ \t]+)?["']?([A-Za-z0-9!@#$%^&*._~+/=-]{8,1024})["']?[ \t]*$/gm,
  /\bhtpasswd[ \t]+-[A-Za-z]{0,6}b[A-Za-z]{0,6}[ \t]+(?:-[\w=]{1,16}[ \t]+){0,4}[^ \t\r\n]{1,255}[ \t]+[^ \t\r\n]{1,255}[ \t]+["']?([^ \t\r\n"']{1,1024})/g,
  /(?<=[ \t])(?:-U[ \t]{0,4}|--user[= ])["']?[^ \t\r\n%"']{1,64}%([^ \t\r\n"']{2,256})/g,
  /\bSET[ \t]+PASSWORD[ \t]+(?:FOR[ \t]+[^ \t\r\n=]{1,128}[ \t]*)?=?[ \t]*(?:PASSWORD\()?['"]([^'"\n]{1,1024})['"]/gi,
  // An account of Redis.
  /(?:^|\n)[ \t]*(?:user|ACL[ \t]+SETUSER)[ \t]+[^ \t\r\n]{1,64}(?:[ \t]+[^ \t\r\n>]{1,64}){0,8}[ \t]+[>#]([^ \t\r\n]{1,1024})/gi,
  /\bAWS4-HMAC-SHA256[ \t]+(Credential=[^\r\n"']{8,2048})/g,
  /\bDigest[ \t]+(username=[^\r\n]{8,2048})/g,
  /\$\d+\r?\nAUTH\r?\n\$\d+\r?\n([^ \t\r\n]{3,1024})/g,
]

const FORM_PART =
  /name=\\{0,4}"([^"\\\n]{1,96})\\{0,4}"[^\r\n]{0,512}(?:\r?\n[^\r\n:]{1,64}:[^\r\n]{0,512}){0,4}\r?\n\r?\n([^\r\n]{1,65536})/g

/** Secrets told by their context: in command lines, in files of clients, in parts of forms, in queries, and beside a member that names them. */
export function secretsInContext(text: string): Span[] {
  return [
    ...pairsIn(text),
    ...queriesIn(text),
    ...optionsIn(text),
    ...SPECIAL.flatMap((shape) =>
      [...text.matchAll(shape)].flatMap((match) => credentialsAtEnd(match, match[1])),
    ),
    ...[...text.matchAll(FORM_PART)].flatMap((match) =>
      namesSecret(match[1]) ? credentialsAtEnd(match, match[2]) : [],
    ),
  ]
}

function namesSecret(name = ''): boolean {
  return ruleOfName(name)?.hides === 'always'
}

function credentials(start: number, value: string): readonly Span[] {
  if (isHarmless(value)) return []
  return [{ ...namedSpan('secret', start, value), parts: credentialsIn(value) }]
}

/** Hides the end of a match. */
function credentialsAtEnd({ 0: whole, index }: RegExpExecArray, value = ''): readonly Span[] {
  return credentials(index + whole.lastIndexOf(value), value)
}

function optionsIn(text: string): Span[] {
  const spans: Span[] = []
  for (const { shape, programs, isPair } of OPTIONS) {
    if (programs?.test(text) === false) continue
    for (const match of text.matchAll(shape)) {
      if (programs?.test(commandBefore(text, match.index)) === false) continue
      const { start, end } = valueAt(text, match.index + match[0].length, ARGUMENT_END, 8192)
      const value = text.slice(start, end)
      const isOther =
        isPair === true &&
        (!/^[^ \t\r\n:=]{0,256}[:=].{2}/s.test(value) || /^(?:https?|\d{1,5}):/.test(value))
      if (!isOther && !isOption(value)) spans.push(...credentials(start, value))
    }
  }
  return spans
}

const COMMAND_LENGTH_MAX = 512

/** The command so far, over lines that go on. */
function commandBefore(text: string, at: number): string {
  const before = textBefore(text, at, COMMAND_LENGTH_MAX)
  let start = before.length
  for (;;) {
    const line = before.lastIndexOf('\n', start - 1)
    if (line < 0) return before
    if (before[line - 1] !== '\\' && before[line - 1] !== ',') return before.slice(line + 1)
    start = line
  }
}

/** Names that are too common to hide any value elsewhere; in the query of a URL they hold a key, a signature or the state of a login. */
const PARAMETER =
  /(?:[?&]|&amp;|\\{1,8}u0026|%3[fF]|%26)(?:key|k|sig|signature|state|code|x-amz-signature|x-goog-signature)(?:=|%3[dD])([^ \t\r\n&"'`<>#\\,;)\]}%]{2,4096}(?:%(?!26)[^ \t\r\n&"'`<>#\\,;)\]}%]{0,512}){0,64})/gi

/** Secrets in the queries of URLs whose names say little. */
function queriesIn(text: string): Span[] {
  return [...text.matchAll(PARAMETER)].flatMap((match) => {
    const value = match[1] ?? ''
    if (isHarmless(value) || /^\d{1,3}$/.test(value) || /^[$%{[]/.test(value)) return []
    const start = match.index + match[0].length - value.length
    const span = namedSpan('secret', start, value)
    // A word means nothing elsewhere.
    return [/^[A-Za-z]+$/.test(value) ? { ...span, certainty: 'here' } : span]
  })
}

const QUOTE = String.raw`\\{0,16}["']?`
const NAMING = String.raw`(?<![\w.-])(?:name|key|field|header|variable|param|parameter|property)${QUOTE}[ \t]{0,8}[:=][ \t]{0,8}${QUOTE}([A-Za-z_][\w.-]{0,95})${QUOTE}`
const HOLDING = String.raw`(?<![\w.-])(?:value|default|content)${QUOTE}[ \t]{0,8}[:=][ \t]{0,8}`
const VALUE = String.raw`(?:\\{0,16}"(?:[^"\\\n]|\\.){0,4096}|'[^'\n]{0,4096}|[^ \t\r\n"',;}\]]{1,4096})`
const BETWEEN = String.raw`[ \t\r\n]{0,64},[ \t\r\n]{0,64}${QUOTE}`
const NAME_FIRST = new RegExp(`${NAMING}${BETWEEN}${HOLDING}(?=[^ \\t\\r\\n])`, 'gi')
const VALUE_FIRST = new RegExp(
  `${HOLDING}(?=${VALUE})(?=(?:[^{}\\n]|\\n[ \\t]*["']){1,1024}?,[ \\t\\r\\n]{0,64}${QUOTE}${NAMING})`,
  'gi',
)
/** `variable "password" { default = "x" }`. */
const VARIABLE =
  /\bvariable[ \t]+"([\w.-]{1,96})"[ \t]*\{[^{}]{0,1024}?\bdefault[ \t]*=[ \t]*(?=")/g

/** In `{name: API_TOKEN, value: "x"}` one member names the other, in any text and on one line or on two. */
export function pairsIn(text: string): Span[] {
  return [NAME_FIRST, VALUE_FIRST, VARIABLE].flatMap((shape) =>
    [...text.matchAll(shape)].flatMap((match) =>
      namesSecret(match[1]) ? valueOfPair(text, match.index + match[0].length) : [],
    ),
  )
}

function valueOfPair(text: string, at: number): readonly Span[] {
  const { start, end, isQuoted } = valueAt(text, at, /[ \t\r\n,;}\]]/, 4096)
  const value = text.slice(start, end)
  return isHarmless(value) || (!isQuoted && /^[[{]/.test(value))
    ? []
    : [namedSpan('secret', start, value)]
}
