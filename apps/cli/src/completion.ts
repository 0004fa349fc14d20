import { type CommandPlan, commandNames, commandTable, flagRowsOf } from './command-table.ts'
import { type CliContext, EXIT, usageError } from './program/cli-context.ts'
import type { ParsedOptions } from './program/flags.ts'

/** Values that a shell offers: file names or these words. Empty if they are unknown. */
type Values = 'files' | readonly string[]

interface Completed {
  readonly name: string
  readonly summary: string
  /** Flags with their dashes, such as `--url` and `-h`; `values` is null for a switch. */
  readonly flags: readonly (readonly [flag: string, values: Values | null, help: string])[]
  /** Values for the arguments after the name. */
  readonly values: Values
}

const SHELLS: ReadonlyMap<string, (commands: readonly Completed[]) => string> = new Map(
  Object.entries({ bash, zsh, fish }),
)

/** Prints the completion script of a shell for commands, flags and values. Resolves with the exit code. */
export async function completion(
  _options: ParsedOptions,
  context: CliContext,
  shell = '',
): Promise<number> {
  const script = SHELLS.get(shell)
  if (script === undefined)
    return usageError(context, `completion needs a shell: ${[...SHELLS.keys()].join(', ')}`)
  const { artifacts } = await import('@svc/deploy')
  const known: Readonly<Record<string, Values>> = {
    '[command]': commandNames.filter((name) => name !== ''),
    '[artifact]': artifacts.map(({ id }) => id),
  }
  const commands = commandNames.map((name) => {
    const { summary, takes = name === '' ? '[command]' : '' }: CommandPlan = commandTable[name]
    const flags = flagRowsOf(name).map(([row, help]) => {
      const [flag = '', value] = row.split(' ')
      return [flag, value === undefined ? null : valuesOf(value), help] as const
    })
    return { name, summary, flags, values: known[takes] ?? valuesOf(takes) }
  })
  context.stdout(script(commands))
  return EXIT.ok
}

/** Values that a placeholder allows: `<path|address>`, `<table|csv>`, `<count|off>`, `<name>`. */
function valuesOf(placeholder: string): Values {
  const alternatives: readonly string[] = placeholder.match(/\w+/g) ?? []
  if (alternatives.some((word) => /^(?:path|files?|dir)$/.test(word))) return 'files'
  if (alternatives.includes('off')) return ['off']
  return placeholder.includes('|') ? alternatives : []
}

const USE = 'svc-quota-monitor completion'

function bash(commands: readonly Completed[]): string {
  const wordsOf = (values: Values) => (values === 'files' ? 'files' : `'${values.join(' ')}'`)
  const cases = commands.map(({ name, flags, values }) => {
    const valued = flags.map(([flag, offered]) =>
      offered === null ? '' : `      ${flag}) words=${wordsOf(offered)} ;;\n`,
    )
    const names = flags.map(([flag]) => flag).join(' ')
    return `    '${name}') case $before in
${valued.join('')}      *) if [[ $word == -* ]]; then words='${names}'; else words=${wordsOf(values)}; fi ;;
    esac ;;
`
  })
  return `# In ~/.bashrc: source <(${USE} bash)
_svc_quota_monitor() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command='' words=''
  if (( COMP_CWORD > 1 )) && [[ \${COMP_WORDS[1]} != -* ]]; then command=\${COMP_WORDS[1]}; fi
  COMPREPLY=()
  case $command in
${cases.join('')}  esac
  # Left empty, it is completed with the names of files.
  if [[ $words == files ]]; then return; fi
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _svc_quota_monitor svc-quota-monitor sqm
`
}

function zsh(commands: readonly Completed[]): string {
  const actionOf = (values: Values) => (values === 'files' ? '_files' : `(${values.join(' ')})`)
  const cases = commands.map(({ name, flags, values }) => {
    const specs = flags.map(([flag, offered, help]) => {
      const value = offered === null ? '' : `:value:${actionOf(offered)}`
      return `${flag}[${help.replace(/[[\]:\\]/g, '\\$&')}]${value}`
    })
    if (values.length > 0) specs.push(`${values === 'files' ? '*' : '1'}:value:${actionOf(values)}`)
    return `    '${name}') _arguments ${specs.map(quoted).join(' ')} ;;\n`
  })
  return `# In ~/.zshrc, after compinit: source <(${USE} zsh)
_svc_quota_monitor() {
  local command=''
  if (( CURRENT > 2 )) && [[ $words[2] != -* ]]; then
    command=$words[2]
    shift words
    (( CURRENT -= 1 ))
  fi
  case $command in
${cases.join('')}  esac
}
compdef _svc_quota_monitor svc-quota-monitor sqm
`
}

function fish(commands: readonly Completed[]): string {
  const actionOf = (values: Values) =>
    values === 'files' ? '-r -F' : `-x -a '${values.join(' ')}'`
  const lines = commands.flatMap(({ name, summary, flags, values }) => {
    const when = `-n '__svc_quota_monitor_runs "${name}"'`
    const own = flags.map(([flag, offered, help]) => {
      const word = flag.replace(/^-/, '-s ').replace(/^-s -/, '-l ')
      return `${when} ${word} ${offered === null ? '' : actionOf(offered)} -d ${quoted(help)}`
    })
    const offered =
      name === '' ? '' : `-n '__svc_quota_monitor_runs ""' -a ${name} -d ${quoted(summary)}`
    return [offered, name === '' ? '' : `${when} ${actionOf(values)}`, ...own]
  })
  const rules = ['-f', ...lines].map((line) => line.replaceAll(/ +/g, ' ').trim())
  return `# In ~/.config/fish/config.fish: ${USE} fish | source
function __svc_quota_monitor_runs
    set -l words (commandline -opc)
    string match -q -- '-*' "$words[2]"; and set words[2] ''
    test "$words[2]" = "$argv[1]"
end
${rules.map((rule) => (rule === '' ? '' : `complete -c svc-quota-monitor ${rule}\n`)).join('')}complete -c sqm -w svc-quota-monitor
`
}

/** A text in single quotes, which a shell does not interpret. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
