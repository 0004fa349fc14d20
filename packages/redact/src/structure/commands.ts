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

/** Secrets in command lines, in files of clients, and in parts of forms. */
export function commandsIn(text: string): Span[] {
  const spans: Span[] = []
  for (const { shape, programs, isPair } of OPTIONS) {
    if (programs !== undefined && !programs.test(text)) continue
    for (const match of text.matchAll(shape)) {
      const at = match.index + match[0].length
      if (programs !== undefined && !programs.test(commandBefore(text, match.index))) continue
      const { start, end } = valueAt(text, at, ARGUMENT_END, 8192)
      const value = text.slice(start, end)
      if (
        isHarmless(value) ||
        (isPair === true && !/^[^ \t\r\n:=]{0,256}[:=].{2}/s.test(value)) ||
        isOption(value)
      )
        continue
      if (isPair === true && /^(?:https?|\d{1,5}):/.test(value)) continue
      spans.push(credentials(start, value))
    }
  }
  for (const shape of SPECIAL) {
    for (const match of text.matchAll(shape)) push(spans, match, match[1] ?? '')
  }
  for (const match of text.matchAll(FORM_PART)) {
    const rule = ruleOfName(match[1] ?? '')
    if (rule !== null && rule.hides === 'always') push(spans, match, match[2] ?? '')
  }
  return spans
}

function push(spans: Span[], match: RegExpExecArray, value: string): void {
  if (!isHarmless(value)) spans.push(credentials(match.index + match[0].lastIndexOf(value), value))
}

function credentials(start: number, value: string): Span {
  return { ...namedSpan('secret', start, value), parts: credentialsIn(value) }
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
