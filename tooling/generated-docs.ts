import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CONFIG_ENV,
  envNameOf,
  flagOf,
  headingOf,
  MANAGEMENT_KEY_ENV,
  type NotifySetting,
  notifySettings,
  type Setting,
  settings,
} from '@svc/config'
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
import { referenceRows } from '../packages/doctor/src/reference-rows.ts'
import { top } from './top.ts'

/** Text of `docs/configuration.md`, made from the one table of settings. */
export function configurationDoc(): string {
  const headings = [...new Set(settings.map(headingOf))]
  return `# Configuration

<!-- Made by \`npm run docs\` from the table in packages/config; a test keeps it current. -->

Every setting is a flag, an environment variable and a key of a TOML file. Flags win over the environment, the environment
over the file, the file over the default. The file is the one that \`--config\` or \`${CONFIG_ENV}\` names, else the first of
\`$XDG_CONFIG_HOME/svc-quota-monitor/config.toml\` (\`~/.config\` where that is not set) and
\`/etc/svc-quota-monitor/config.toml\`; \`--config off\` reads none. A relative path in the file
starts at the folder of that file, on the command line and in the environment at the working directory; \`~\` and variables in it
are not expanded, but refused. An unknown key, flag or variable, and a value
that is not allowed, end the start with one line that names it and what is allowed, and with exit code 2; \`doctor\` lists all of
them. Variables that Kubernetes sets for a service named \`svc-quota-monitor\` (\`..._SERVICE_HOST\`, \`..._PORT=tcp://...\`) are
ignored with one line.

The management key itself comes from the file that \`management_key_file\` names or from \`${MANAGEMENT_KEY_ENV}\`, which wins. It is never
a flag, because process lists show flags, and never in the TOML file. The file is read again every \`refresh_seconds\`.
It is refused when it, or a folder above it, belongs to anybody but the user of the service and root, when its group or others
can write it, and when others or a group that is neither root's nor the user's own can write a folder above it (sticky folders
such as \`/tmp\` excepted). The same rule holds for the password file of the database, the files with addresses of receivers, the file of client labels and
the auth files, which may also belong to the user who owns their folder. When others can only read one of them, health says so; of an address \`doctor\` does.

\`svc-quota-monitor print-config\` shows what is in force and where each value comes from, \`svc-quota-monitor init config\` prints a
file with every key explained.

${headings
  .map(
    (heading) =>
      `## ${heading}\n\n${settings
        .filter((setting) => headingOf(setting) === heading)
        .map(entryOf)
        .join('\n')}`,
  )
  .join('\n')}
## Messages

Each target of messages has a table \`[[notify]]\` at the end of the configuration file, at most 20 of them: a \`name\` of its own, 1 to 32 of
a-z, 0-9 and -, and the keys below. There is no flag and no variable for them, and an address in the file is refused without being repeated. The
demo has no use for them. [Being told](operating.md#being-told) says when to use them and what goes into the file of an address.

| key | takes | default | |
| --- | --- | --- | --- |
${notifySettings.map(notifyRow).join('')}`
}

function notifyRow({ key, kind, fallbackText, help }: NotifySetting): string {
  return `| \`${key}\` | ${kind.allowed} | ${fallbackText ?? 'must be given'} | ${help} |\n`
}

function entryOf(setting: Setting): string {
  const { key, kind, help, fallback, fallbackText, placeholder, repeatable, inDemo } = setting
  const notes = [
    repeatable === true ? 'The flag may be repeated.' : '',
    inDemo === true ? '' : 'The demo has no use for it.',
  ].filter((note) => note !== '')
  return `### \`${key}\`

${help}${notes.length === 0 ? '' : ` ${notes.join(' ')}`}

- takes ${kind.allowed}
- default: ${fallbackText ?? String(fallback ?? 'none')}
- \`--${flagOf(setting)} ${placeholder}\`, \`${envNameOf(setting)}\`
`
}

type Table = readonly (readonly string[])[]

/** Text of the reference, with each table made from the code that owns its contents. */
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
      ...Object.entries(referenceRows).map(([id, { when, remedy }]) => [`\`${id}\``, when, remedy]),
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
    seriesMax: 1,
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

/** Puts the rows between the marks that name the table. Throws if there are none. */
function withTable(document: string, name: string, [head = [], ...rows]: Table): string {
  const [begin, end] = [`<!-- ${name}: made by npm run docs -->\n`, `<!-- ${name}: end -->`]
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from)
    throw new Error(`docs/reference.md has no marks for the table of ${name}`)
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`)
  return `${document.slice(0, from)}${begin}\n${lines.join('')}\n${document.slice(to)}`
}
