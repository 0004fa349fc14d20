import { isHarmless, isOption, isPlainValue } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import { ALWAYS, type NameRule, ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { hidesField, namedSpan } from './fields.ts'
import type { LineReader } from './scanner.ts'

interface Region {
  readonly rule: NameRule
  /** Deeper lines belong to the region; null for a section, which ends at the next one. */
  readonly indent: number | null
  /** Items of a list may be indented as deep as the name. */
  readonly takesItems: boolean
  /** The lines are one text, in which YAML signs mean nothing. */
  readonly isText: boolean
  /** The enclosing region. */
  readonly outer: Region | null
}

/** A name with its value on the lines below: `api-keys:`, `password: |`, `- token: >-`, `secrets: &anchor`. */
const OPENS =
  /^([ \t]*)((?:-[ \t]+)*)["']?([\w.\-/ ]{1,96}?)["']?[ \t]*:(?:[ \t]+(?:[|>][-+0-9]{0,3}|&[\w.-]{1,64}|!{1,2}[\w:/.-]{0,64})){0,3}[ \t]*(?:#.*)?$/
/** Start of a text of several lines. */
const BLOCK = /[ \t][|>][-+0-9]{0,3}[ \t]*(?:#.*)?$/
const SECTION =
  /^[ \t]*\[{1,2}[ \t]*["']?([\w.\-/ "':]{1,128}?)["']?[ \t]*\]{1,2}[ \t]*(?:[#;].*)?$/
/** Name and value as neighbouring lines: `- name: DB_PASSWORD` and `value: x`. */
const NAMING =
  /^([ \t]*)(-[ \t]+)?["']?(?:name|key|id|field|header|variable|param|parameter|property|Name|Key)["']?[ \t]*[:=][ \t]*["']?([\w.\-/ ]{1,96}?)["']?,?[ \t]*$/
const HOLDING =
  /^[ \t]*(?:-[ \t]+)?["']?(?:value|Value|values|default|content|data|text|string)["']?[ \t]*[:=][ \t]*/
const NEIGHBOURS = 4
/** A flag alone on its line, with its value alone on the next one. */
const FLAG = /^([ \t]*(?:-[ \t]+)?)["']?(-{1,2}[A-Za-z][\w-]{0,64})["']?,?[ \t]*$/
const ARGUMENT = /^([ \t]*(?:-[ \t]+)?)(["']?)([^ \t"'].{0,4096}?)\2,?[ \t]*$/

/** Reads YAML, TOML, INI and everything of similar layout: lines that belong together by their indentation or their section. */
export function createOutline(): LineReader {
  let region: Region | null = null
  let isSecretDocument = false
  /** Indentation of the flag in the line before. */
  let flagged: string | null = null
  let number = 0
  /** Number of the last line that named a secret, and the last line with a value that may be named. */
  let namedAt = Number.NEGATIVE_INFINITY
  let holding: { readonly number: number; readonly line: string; readonly at: number } | null = null

  return {
    takeLine(line, at) {
      const spans: Span[] = []
      number += 1
      if (line.trim() !== '') {
        while (region !== null && !belongs(line, region)) region = region.outer
        if (region !== null) spans.push(...hiddenIn(line, at, region))
        if (region?.isText !== true)
          region = regionOpenedBy(line, isSecretDocument, region) ?? region
        if (flagged !== null) spans.push(...argumentIn(line, at, flagged))
        const [, indent = '', flag = ''] = FLAG.exec(line) ?? []
        flagged = flag !== '' && ruleOfName(flag)?.hides === 'always' ? indent : null
      }
      if (/^kind:[ \t]*Secret\b/.test(line)) isSecretDocument = true
      else if (/^---/.test(line)) isSecretDocument = false
      const isHolding = HOLDING.test(line)
      if (isHolding) {
        if (number - namedAt <= NEIGHBOURS) spans.push(...afterName(line, at, ALWAYS))
        holding = { number, line, at }
      }
      const name = NAMING.exec(line)?.[3]
      const rule = name === undefined ? null : ruleOfName(name)
      if (rule?.hides === 'always' || rule?.hides === 'text') {
        if (holding !== null && number - holding.number <= NEIGHBOURS)
          spans.push(...afterName(holding.line, holding.at, rule))
        namedAt = number
      } else if (/^[ \t]*-[ \t]/.test(line)) {
        namedAt = Number.NEGATIVE_INFINITY
        if (!isHolding) holding = null
      }
      return spans
    },
  }
}

function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0
}

function belongs(line: string, { indent, takesItems, isText }: Region): boolean {
  if (indent === null) return !SECTION.test(line)
  const depth = indentOf(line)
  if (isText) return depth > indent
  return (
    depth > indent ||
    (takesItems && depth === indent && /^-(?:[ \t]|$)/.test(line.trimStart())) ||
    (depth <= indent && /^[ \t]*#/.test(line))
  )
}

function regionOpenedBy(
  line: string,
  isSecretDocument: boolean,
  outer: Region | null,
): Region | null {
  const section = SECTION.exec(line)?.[1]
  if (section !== undefined) {
    const rule = ruleOfName(section)
    return rule !== null &&
      rule.hides === 'always' &&
      !/[:/]/.test(section) &&
      !(/^[ \t]/.test(line) && isHarmless(section))
      ? { rule, indent: null, takesItems: false, isText: false, outer: null }
      : null
  }
  const opens = OPENS.exec(line)
  if (opens === null) return null
  const [whole, blanks = '', dashes = '', name = ''] = opens
  const isText = BLOCK.test(whole)
  const own = isSecretDocument && /^(?:data|stringData)$/.test(name) ? ALWAYS : ruleOfName(name)
  // A text inside a secret is also secret, whatever its name.
  const rule = own === null || own.hides === 'field' ? (isText ? (outer?.rule ?? null) : null) : own
  return rule === null
    ? null
    : {
        rule,
        indent: blanks.length + dashes.length,
        takesItems: dashes === '' && !isText,
        isText,
        outer,
      }
}

/** Hidden part of a line of a region: the item of a list, the value of a member, or the text itself. */
function hiddenIn(line: string, offset: number, { rule, isText }: Region): readonly Span[] {
  if (isText) return textOf(line, offset, rule)
  if (/^[ \t]*[#;]/.test(line)) return []
  const head =
    /^[ \t]*(?:-[ \t]+)*(?:(["']?)[A-Za-z_][\w.-]{0,40}\1[ \t]*[:=](?:[ \t]+|(?=["'])))?/.exec(
      line,
    )?.[0].length ?? 0
  return valueFrom(line, head, offset, rule)
}

function argumentIn(line: string, offset: number, indent: string): readonly Span[] {
  const [, blanks = '', quote = '', value = ''] = ARGUMENT.exec(line) ?? []
  if (
    blanks !== indent ||
    isHarmless(value) ||
    isOption(value) ||
    (quote === '' && value.includes(' ') && (!blanks.includes('-') || value.startsWith('-')))
  )
    return []
  return [namedSpan('secret', offset + blanks.length + quote.length, value)]
}

/** Hides a whole line of text, except for quotes around it. */
function textOf(line: string, offset: number, rule: NameRule): readonly Span[] {
  const plain = line.trim()
  const value = /^(["']).+\1$/.test(plain) ? plain.slice(1, -1) : plain
  return staysUnder(rule, value) ? [] : [namedSpan(rule.kind, offset + line.indexOf(value), value)]
}

function staysUnder({ hides }: NameRule, value: string): boolean {
  return (
    isHarmless(value) ||
    (hides === 'text' && isPlainValue(value)) ||
    (hides === 'likely' && !looksSecret(value))
  )
}

function afterName(line: string, offset: number, rule: NameRule): readonly Span[] {
  return valueFrom(line, HOLDING.exec(line)?.[0].length ?? 0, offset, rule)
}

function valueFrom(line: string, head: number, offset: number, rule: NameRule): readonly Span[] {
  const rest = line.slice(head)
  const marks =
    /^(?:[|>][-+0-9]{0,3}|&[\w.-]+[ \t]*|![\w!:/.-]*[ \t]*)+(?=[ \t]|$|["'\w])/.exec(rest)?.[0] ??
    ''
  // A mark with nothing after it may be the value itself.
  const marker =
    /^[&!]/.test(marks) && marks.trim() === rest.trim() && !BLOCK.test(` ${marks}`)
      ? 0
      : marks.length
  const plain = rest.slice(marker)
  const isQuoted = /^(["']).*\1,?[ \t]*$/.test(plain)
  const open = isQuoted ? 1 : 0
  const value = plain
    .slice(open)
    .replace(isQuoted ? /["'],?[ \t]*$/ : /[ \t]*,?[ \t]*(?:[ \t]#.*)?$/, '')
  if (/^[|>{}[\](),]*$/.test(value.trim()) || staysUnder(rule, value)) return []
  return [namedSpan(rule.kind, offset + head + marker + open, value)]
}

const SETTING =
  /^[ \t]*(?:-[ \t]+)?["']?([A-Za-z][\w.-]{0,95})["']?[ \t]*[:=][ \t]*(["']?)(.{1,4096}?)\2[ \t]*(?:[ \t]#.*)?$/

/** Names that are too common to count in running text count in a file of settings. */
export function createSettings(): LineReader {
  return {
    takeLine(line, at) {
      const [whole = '', name = '', quote = '', value = ''] = SETTING.exec(line) ?? []
      const rule = ruleOfName(name)
      return rule?.hides === 'field' &&
        !isPlainValue(value) &&
        hidesField(rule, value, true) &&
        !/^[[{|>&*]/.test(value)
        ? [namedSpan(rule.kind, at + whole.lastIndexOf(value + quote), value)]
        : []
    },
  }
}
