import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ActionCondition,
  actionConditions,
  keyFileConditions,
  storeConditions,
  type Words,
} from '@svc/views/messages'
import { top } from './top.ts'

/** The operating manual with its tables of conditions as the catalogue has them. */
export function operatingDoc(): string {
  const text = readFileSync(join(top, 'docs/operating.md'), 'utf8')
  return Object.entries(tables()).reduce(
    (document, [name, rows]) => withTable(document, name, rows),
    text,
  )
}

function tables(): Readonly<Record<string, readonly (readonly string[])[]>> {
  return {
    'health actions': [
      ['action', 'code', 'what to do'],
      ...Object.entries(actionConditions).flatMap(([code, row]) => actionRows(code, row)),
    ],
    'key file': [['reason', 'what is the case', 'what to do'], ...reasonRows(keyFileConditions)],
    'history store': [['reason', 'what is the case', 'what to do'], ...reasonRows(storeConditions)],
  }
}

function actionRows(
  code: string,
  { title, remedy, more, variants = {} }: ActionCondition,
): readonly (readonly string[])[] {
  const row = (name: string, advice: string) => [name, `\`${code}\``, advice]
  return [
    row(title, more === undefined ? remedy : `${remedy} ${more}`),
    ...Object.values(variants).flatMap((variant) =>
      variant.title === undefined ? [] : [row(variant.title, variant.remedy ?? remedy)],
    ),
  ]
}

function reasonRows(conditions: Readonly<Record<string, Words>>): readonly (readonly string[])[] {
  return Object.entries(conditions).map(([code, { summary, remedy }]) => [
    `\`${code}\``,
    summary,
    remedy,
  ])
}

/** Puts the rows between the marks that name the table. Throws where there are none. */
function withTable(
  document: string,
  name: string,
  [head = [], ...rows]: readonly (readonly string[])[],
): string {
  const [begin, end] = [`<!-- ${name}: made by npm run docs -->\n`, `<!-- ${name}: end -->`]
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from)
    throw new Error(`docs/operating.md has no marks for the table of ${name}`)
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`)
  return `${document.slice(0, from)}${begin}\n${lines.join('')}\n${document.slice(to)}`
}
