export { harmlessText } from './formula.ts'

/** One line of a table by RFC 4180. Texts from outside must be made harmless before. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(',')}\r\n`
}

/** Quotes a text if CSV requires it. */
function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
