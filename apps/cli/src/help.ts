import { flagOf, type Setting, settings } from '@svc/config'

const WIDTH = 100
const INDENT = 34

/** What `--help` prints: usage, commands and every setting by group. */
export function helpText(version: string): string {
  const groups = [...new Set(settings.map((setting) => setting.group))]
  const sections = groups.map(
    (group) =>
      `${group}\n${settings
        .filter((setting) => setting.group === group)
        .map(settingHelp)
        .join('')}`,
  )
  return `svc-quota-monitor ${version}
Watches the quota of a pool of accounts behind CLIProxyAPI and tells which one to use next.

Usage
  svc-quota-monitor [command] [options]        (sqm is the same program)

Commands
${row('(none)', 'Run the service.')}${row('print-config', 'Print the resolved configuration without secrets; --json for scripts.')}${row('export-history', 'Write a backup of the store: --state-db <path> --output <file>.')}${row('import-history', 'Add a backup to a store: --state-db <path> <file>.')}
Options
${row('--demo', 'Serve a built-in sample pool; needs no key and reads no file.')}${row('--config <path|off>', 'Configuration file (TOML); off reads none.')}${row('-h, --help', 'Print this text.')}${row('-v, --version', 'Print the version.')}
${sections.join('\n')}
Every option is also an environment variable (--log-level is SVC_QUOTA_MONITOR_LOG_LEVEL) and a key
of the configuration file (log_level). Flags win over the environment, the environment over the
file. The management key itself is taken from its file or from SVC_QUOTA_MONITOR_MANAGEMENT_KEY,
never from a flag.
`
}

function settingHelp(setting: Setting): string {
  const fallback = setting.fallbackText ?? String(setting.fallback ?? 'none')
  return row(`--${flagOf(setting)} ${setting.placeholder}`, `${setting.help} [${fallback}]`)
}

/** Two columns; the second is wrapped, and starts on a line of its own where the first is too long. */
function row(term: string, text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH - INDENT) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  lines.push(line)
  const head = `  ${term}`
  const first = head.length < INDENT ? `${head.padEnd(INDENT)}${lines.shift() ?? ''}\n` : `${head}\n`
  return first + lines.map((rest) => `${' '.repeat(INDENT)}${rest}\n`).join('')
}
