export { harmlessText } from './formula.ts'

/** One line of a table by RFC 4180. Texts from outside must be made harmless before. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(',')}\r\n`
}

/** The head of CSV whose columns are these members of JSON. */
export function csvHead(names: readonly string[]): string {
  return csvLine(
    names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  )
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
