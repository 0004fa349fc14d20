import { flagOf, type Setting, settings } from '@svc/config'
import { type CommandName, type CommandPlan, commandTable } from './command-table.ts'

const WIDTH = 100
const INDENT = 34

/** What `--help` prints, of the program or of one of its commands. */
export function helpText(version: string, asked: CommandName): string {
  const plan: CommandPlan | undefined = commandTable.find(({ name }) => name === asked)
  const groups = [...new Set(settings.map((setting) => setting.group))]
  const sections = groups.map(
    (group) =>
      `${group}\n${settings
        .filter((setting) => setting.group === group)
        .map(settingHelp)
        .join('')}`,
  )
  const own = (plan?.options ?? []).map(([flag, help]) => row(flag, help)).join('')
  const common = plan?.takesSettings === true ? row('--config <path|off>', 'Configuration file (TOML); off reads none.') : ''
  const head =
    asked === ''
      ? `svc-quota-monitor ${version}
Watches the quota of a pool of accounts behind CLIProxyAPI and tells which one to use next.

Usage
  svc-quota-monitor [command] [options]        (sqm is the same program)

Commands
${commandTable.map(({ name, summary }) => row(name === '' ? '(none)' : name, summary)).join('')}${row('<command> --help', 'What one of them takes.')}`
      : `svc-quota-monitor ${[asked, plan?.takes.replace(/^\[\.\.\.(.*)\]$/, '<$1...>') ?? ''].join(' ').trim()} [options]
${plan?.summary ?? ''}
`
  return `${head}
Options
${own}${common}${row('-h, --help', 'Print this text.')}${plan?.takesSettings === true ? row('-v, --version', 'Print the version.') : ''}${
  plan?.takesSettings === true ? `\n${sections.join('\n')}\n${SETTINGS_NOTE}` : ''
}`
}

const SETTINGS_NOTE = `Every setting is also an environment variable (--log-level is SVC_QUOTA_MONITOR_LOG_LEVEL) and a key
of the configuration file (log_level). Flags win over the environment, the environment over the
file. The management key itself is taken from its file or from SVC_QUOTA_MONITOR_MANAGEMENT_KEY,
never from a flag.
`

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
