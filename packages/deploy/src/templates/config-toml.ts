import { basename, dirname } from 'node:path'
import {
  type ConfigRow,
  headingOf,
  MANAGEMENT_KEY_ENV,
  notifySettings,
  type Setting,
  settings,
} from '@svc/config'
import type { NotifyTarget } from '@svc/core/notify'
import type { Installation } from '../installation/installation.ts'

const WIDTH = 100

/** Config file with every key and its explanation; a key at its default is commented out with `#`. */
export function configToml({ rows, config, configPath }: Installation): string {
  const headings = [...new Set(settings.map(headingOf))]
  const sections = headings.map((heading) => {
    const entries = settings
      .filter((setting) => headingOf(setting) === heading)
      .map((setting) =>
        entryOf(
          setting,
          rows.find(({ key }) => key === setting.key),
        ),
      )
    return `# --- ${heading} ${'-'.repeat(WIDTH - 7 - heading.length)}\n\n${entries.join('\n')}`
  })
  return `# svc-quota-monitor: ${configPath}
#
# The management key itself never stands here: put it into the file that management_key_file names
# (chmod 600), or into the variable ${MANAGEMENT_KEY_ENV}.
# Relative paths are meant from the folder of this file.

${sections.join('\n')}${tablesOf(rows, config.fleet)}${targetsOf(rows, config.notify.targets, dirname(configPath))}`
}

const TABLES = `
# --- Several proxies ${'-'.repeat(WIDTH - 22)}

# Instead of upstream_url, gateway_health_url, upstream_ui_url and management_key_file a table for
# each, at the end of this file. A table may also hold gateway_health_url, ui_url, usage_source,
# quota_transport, auth_dir, refresh_seconds and upstream_timeout_seconds. Where it leaves one of
# the last five out, it has what stands above.
`

/** A table for each proxy that this file lists; an example if it lists none. */
function tablesOf(
  rows: readonly ConfigRow[],
  { upstreams, upstreamsFile }: Installation['config']['fleet'],
): string {
  if (upstreams.length === 0 || upstreamsFile !== null)
    return `${TABLES}# [[upstream]]
#   name = "tokyo"
#   url = "https://tokyo.example:8317"
#   management_key_file = "keys/tokyo"
`
  return `${TABLES}${upstreams.map(({ name }) => tableOf('upstream', name, rows)).join('')}`
}

/** A table for each notification target; an example if there are none. */
function targetsOf(
  rows: readonly ConfigRow[],
  targets: readonly NotifyTarget[],
  folder: string,
): string {
  const keys = notifySettings.map(
    ({ key, kind, fallbackText, help }) =>
      `${key}: ${help} Takes ${kind.allowed}; ${fallbackText === null ? 'must be given' : `default: ${fallbackText}`}.`,
  )
  const head = `
# --- Messages ${'-'.repeat(WIDTH - 15)}

${[TARGETS, ...keys].map(commentOut).join('')}`
  if (targets.length === 0)
    return `${head}# [[notify]]\n#   name = "phone"\n${notifySettings.map(({ key, example }) => `#   ${key} = ${tomlOf(example)}\n`).join('')}`
  const short = rows.map((row) => {
    const isBeside = /^notify\..*\.url_file$/.test(row.key) && dirname(String(row.value)) === folder
    // A unit or a container hands on the file beside a copy of the configuration.
    return isBeside ? { ...row, value: basename(String(row.value)) } : row
  })
  return `${head}${targets.map(({ name }) => tableOf('notify', name, short)).join('')}`
}

const TARGETS =
  'A table for each target of messages, at the end of this file. Besides its name, 1 to 32 of a-z, 0-9 and -, it holds:'

/** Table of this name, with the values that were given in it. */
function tableOf(table: string, name: string, rows: readonly ConfigRow[]): string {
  const prefix = `${table}.${name}.`
  const lines = rows.flatMap(({ key, value, source }) => {
    if (!key.startsWith(prefix) || source === 'default' || value === null) return []
    const own = key.slice(prefix.length)
    const isInherited = rows.some((row) => row.key === own && row.value === value)
    return isInherited ? [] : [`${own} = ${tomlOf(value)}\n`]
  })
  return `\n[[${table}]]\nname = ${tomlOf(name)}\n${lines.join('')}`
}

function entryOf(setting: Setting, row: ConfigRow | undefined): string {
  const fallback = setting.fallbackText ?? String(setting.fallback ?? 'none')
  const value = row?.value ?? null
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0)
  const shown = isEmpty ? (EXAMPLES[setting.key] ?? '""') : tomlOf(value)
  const sign = isEmpty || row?.source === 'default' ? '# ' : ''
  return `${commentOut(`${setting.help} Takes ${setting.kind.allowed}; default: ${fallback}.`)}${sign}${setting.key} = ${shown}\n`
}

/** Example values for settings without a value. */
const EXAMPLES: Readonly<Record<string, string>> = {
  allowed_hosts: '["quota.example.com"]',
  management_key_file: '"/etc/svc-quota-monitor/management-key"',
  upstreams_file: '"/etc/svc-quota-monitor/upstreams.toml"',
  auth_dir: '"/var/lib/cli-proxy-api"',
  state_db: '"/var/lib/svc-quota-monitor/history.db"',
  state_db_password_file: '"/etc/svc-quota-monitor/state-db-password"',
  state_db_replica: '"postgres://standby.example/svc_quota_monitor"',
  price_file: '"/var/lib/svc-quota-prices/litellm.json"',
  price_overrides: '"/etc/svc-quota-monitor/prices.toml"',
  client_labels_file: '"/etc/svc-quota-monitor/client-labels.json"',
  benchmark_summary: '"/var/lib/svc-quota-monitor/benchmark.json"',
}

/** Formats a value as TOML. Strings, numbers and lists of strings have the same form in JSON and TOML. */
function tomlOf(value: NonNullable<ConfigRow['value']>): string {
  return JSON.stringify(value)
}

function commentOut(text: string): string {
  const lines: string[] = []
  let line = '#'
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = '#'
    }
    line += ` ${word}`
  }
  return `${[...lines, line].join('\n')}\n`
}
