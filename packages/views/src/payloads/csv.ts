import type { StatsSeries } from './stats-series-schema.ts'

/** Dollars to the nano-dollar, without an exponent; empty if unknown. */
export function usdCell(usd: number | null): string {
  return usd === null ? '' : usd.toFixed(9)
}

/** One line of CSV by RFC 4180. Foreign texts must be made harmless first. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(',')}\r\n`
}

/** The CSV head whose columns are these JSON members, in snake case. */
export function csvHead(names: readonly string[]): string {
  return csvLine(
    names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  )
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Start of a text that a spreadsheet would execute: a formula sign, also full-width or after blanks, or a control character. */
const FORMULA = /^(?:\s*[=+\-@＝＋－＠]|\p{Cc})/u

/** A text that no spreadsheet executes: prefixed with `'` if it looks like a formula. */
export function harmlessText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/**
 * An id that no spreadsheet executes, equal in JSON and CSV so that both can be joined. The first character is percent-encoded if the id looks like a
 * formula.
 */
export function harmlessId(id: string): string {
  const [first = ''] = id
  return FORMULA.test(id) ? percentEncoded(first) + id.slice(first.length) : id
}

/** The id that `harmlessId` shows like this. */
export function idShownAs(shown: string): string {
  const [, code, rest] = /^%([0-9A-F]{2})(.*)$/s.exec(shown) ?? []
  if (code === undefined) return shown
  const id = String.fromCharCode(Number.parseInt(code, 16)) + rest
  return harmlessId(id) === shown ? id : shown
}

function percentEncoded(character: string): string {
  // `encodeURIComponent` does not encode a hyphen.
  return character === '-' ? '%2D' : encodeURIComponent(character)
}

const COLUMNS = [
  'timestamp',
  'series_id',
  'series_label',
  'requests',
  'tokens',
  'failed',
  'request_text',
  'token_text',
  'failure_rate',
] as const

/**
 * The points of a chart as CSV by RFC 4180, always with a header. `failure_rate` is 0..1, empty without requests. Other metrics add a column, empty
 * where unknown; `cost` adds two.
 */
export function statsSeriesCsv({ series, query: { metric }, valueUnit }: StatsSeries): string {
  const hasValue = valueUnit !== undefined
  const rows = series.flatMap(({ id, label, points }) =>
    points.map(({ t, requests, tokens, failed, value, unpricedTokens, requestText, tokenText }) => [
      t,
      id,
      harmlessText(label),
      String(requests),
      String(tokens),
      String(failed),
      requestText,
      tokenText,
      requests === 0 ? '' : (failed / requests).toFixed(4),
      ...(metric === 'cost'
        ? [usdCell(value ?? null), String(unpricedTokens)]
        : hasValue
          ? [value == null ? '' : String(value)]
          : []),
    ]),
  )
  const more = metric === 'cost' ? ['cost_usd', 'unpriced_tokens'] : hasValue ? [metric] : []
  return [[...COLUMNS, ...more], ...rows].map(csvLine).join('')
}
