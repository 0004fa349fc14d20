import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixedClock } from '@svc/core/testing'
import {
  type ActionCondition,
  actionConditions,
  databaseConditions,
  keyFileConditions,
  notifyConditions,
  storeConditions,
  type Words,
} from '@svc/views/messages'
import { createMetrics } from '../apps/server/src/metrics/metrics.ts'
import { alerts } from '../packages/deploy/src/templates/quota-rules.ts'
import { checkWords } from '../packages/doctor/src/check-words.ts'
import { top } from './top.ts'

type Table = readonly (readonly string[])[]

/** The reference with its tables as the code has them that owns what they list. */
export async function referenceDoc(): Promise<string> {
  const text = readFileSync(join(top, 'docs/reference.md'), 'utf8')
  return Object.entries(await tables()).reduce(
    (document, [name, rows]) => withTable(document, name, rows),
    text,
  )
}

async function tables(): Promise<Readonly<Record<string, Table>>> {
  return {
    checks: [
      ['check', 'fails or warns when', 'remedy'],
      ...Object.entries(checkWords).map(([id, { when, remedy }]) => [`\`${id}\``, when, remedy]),
    ],
    'health actions': [
      ['action', 'code', 'what to do'],
      ...Object.entries(actionConditions).flatMap(([code, row]) => actionRows(code, row)),
    ],
    'key file': [['reason', 'what is the case', 'what to do'], ...reasonRows(keyFileConditions)],
    'message failures': [
      ['reason', 'what is the case', 'what to do'],
      ...reasonRows(notifyConditions),
    ],
    'history store': [['reason', 'what is the case', 'what to do'], ...reasonRows(storeConditions)],
    'history database': [
      ['reason', 'what is the case', 'what to do'],
      ...reasonRows(databaseConditions),
    ],
    metrics: [['metric', 'what it shows'], ...(await metricRows())],
    alerts: [
      ['alert', 'fires after', 'means', 'what to do'],
      ...alerts.map(({ name, holds, summary, description, meaning, remedy }) => [
        `\`${name}\``,
        holds === 0 ? 'at once' : `${holds} min`,
        meaning ?? summary,
        remedy ?? description,
      ]),
    ],
  }
}

/** Every metric of ours with its help text, in the order of `/metrics`. */
async function metricRows(): Promise<Table> {
  const metrics = createMetrics({
    clock: fixedClock(),
    version: '',
  })
  return [...(await metrics.render()).matchAll(/^# HELP svc_quota_monitor_(\S+) (.*)$/gm)].map(
    ([, name = '', help = '']) => [`\`${name}\``, help],
  )
}

function actionRows(code: string, { title, remedy, more, variants = {} }: ActionCondition): Table {
  const row = (name: string, advice: string) => [name, `\`${code}\``, advice]
  return [
    row(title, more === undefined ? remedy : `${remedy} ${more}`),
    ...Object.values(variants).flatMap((variant) =>
      variant.title === undefined ? [] : [row(variant.title, variant.remedy ?? remedy)],
    ),
  ]
}

function reasonRows(conditions: Readonly<Record<string, Words>>): Table {
  return Object.entries(conditions).map(([code, { summary, remedy }]) => [
    `\`${code}\``,
    summary,
    remedy,
  ])
}

/** Puts the rows between the marks that name the table. Throws where there are none. */
function withTable(document: string, name: string, [head = [], ...rows]: Table): string {
  const [begin, end] = [`<!-- ${name}: made by npm run docs -->\n`, `<!-- ${name}: end -->`]
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from)
    throw new Error(`docs/reference.md has no marks for the table of ${name}`)
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`)
  return `${document.slice(0, from)}${begin}\n${lines.join('')}\n${document.slice(to)}`
}
