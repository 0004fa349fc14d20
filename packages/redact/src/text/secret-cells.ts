import { ruleOfName } from '../names/secret-names.ts'
import { isNoValue, type NamedValue } from './named-values.ts'

/** A line of dashes, as below the names of a table. */
const RULE = /^[\s|+:-]+$/
/** A cell: the bar with blanks and backquotes behind it, then the text. */
const CELL = /((?:^\|?|\|)[\s`]*)((?:\\.?|[^|\\])*)/g

/** Finds, line by line, the cells under the names of secrets in tables with bars, as of Markdown and of databases' shells. */
export function createSecretCells(): (line: string) => readonly NamedValue[] {
  let above = ''
  let columns: readonly boolean[] = []
  return (line) => {
    const isRule = RULE.test(line) && line.includes('-')
    if (!isRule && !line.includes('|')) columns = []
    else if (isRule && above.includes('|') && !columns.includes(true))
      columns = cellsOf(above).map(({ text }) => ruleOfName(text) === 'secret')
    above = line
    if (isRule || !columns.includes(true)) return []
    return cellsOf(line)
      .filter(({ text }, at) => columns[at] && !isNoValue(text))
      .map(({ start, text }) => ({ start, end: start + text.length, isCertain: true }))
  }
}

function cellsOf(line: string): readonly { readonly start: number; readonly text: string }[] {
  return [...line.matchAll(CELL)].map(({ 1: lead = '', 2: rest = '', index }) => ({
    start: index + lead.length,
    text: rest.trimEnd().replace(/`$/, ''),
  }))
}
