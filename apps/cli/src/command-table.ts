import { flagOf, settings } from '@svc/config'
import { lineFormatNames } from './glance/pool-words.ts'
import type { CliContext } from './program/cli-context.ts'
import type { ParsedOptions } from './program/flags.ts'
import { FILTER_OPTIONS, PROVIDER_OPTION, SERVICE_OPTIONS } from './service/running-service.ts'

/** Runs the command with the arguments after its name, and resolves with the exit code. */
export type CommandAction = (
  options: ParsedOptions,
  context: CliContext,
  ...args: string[]
) => Promise<number> | number

/** One command: its help, its syntax and its code. */
export interface CommandPlan {
  /** Placeholder of the arguments after the name: `<one>`, `[one]` or `[...any]`; absent if there are none. */
  readonly takes?: string
  readonly summary: string
  /** Help text of each flag; the key contains the placeholder of its value. */
  readonly options: Readonly<Record<string, string>>
  /** Whether the command takes the configuration, and therefore every setting as a flag. */
  readonly takesSettings?: boolean
  /**
   * Loads the command's code only when it runs, so that other commands start fast. Null for `help` and `completion`, whose output is derived from
   * this table.
   */
  readonly load: (() => Promise<CommandAction>) | null
}

const JSON_OPTION = { '--json': 'One JSON document, for scripts.' } as const
const PASSWORD_OPTION = {
  '--state-db-password-file <path>':
    'File with the password of a database; PGPASSFILE and PGPASSWORD count as well.',
} as const
/** Options of commands that read a store. */
const STORE_OPTIONS = {
  '--state-db <path|address>':
    'The store; a service may go on using it. Left out: state_db of the configuration.',
  ...PASSWORD_OPTION,
} as const

/** Every command by its name, in the order of the help. The command that runs the service has an empty name. */
export const commandTable = {
  '': {
    summary: 'Run the service.',
    options: { '--demo': 'Serve a built-in sample pool; needs no key and reads no file.' },
    takesSettings: true,
    load: async () => (await import('./commands/run.ts')).run,
  },
  pick: {
    summary: 'Print the account for the next request; ends with 1 if none may be used.',
    options: {
      '--as <name>': 'Name of the caller: the service remembers what it holds and spreads callers.',
      '--keep <account>': 'The account in use, which stays while it is nearly the best.',
      '--avoid <accounts>': 'Accounts that just failed, as a.json,b.json.',
      '--failed <account>': 'Account that just failed for this caller; needs --as.',
      '--release': 'Give the account back: the service forgets the caller; with --as alone.',
      ...FILTER_OPTIONS,
      '--wait <duration>': 'Wait this long for an account that may be used, as 30s, 10m or 1h.',
      '--format <text>':
        'What to print. Left out: {authName}. Also {accountKey}, {authIndex}, {title}, {plan}, {score}, {provider}, {upstream}, {text}.',
      ...JSON_OPTION,
      ...SERVICE_OPTIONS,
    },
    load: async () => (await import('./commands/pick.ts')).pick,
  },
  guard: {
    summary:
      'Say whether the pool has what a job needs; ends with 0 if so, 1 if not, 3 if that is not known.',
    options: {
      '--window <5h|week>': 'Window whose quota counts. Left out: week.',
      '--min-units <number>':
        'Units of the provider, of Codex Plus units, that routable accounts must have left. Left out: 2.',
      '--min-accounts <count>': 'Accounts that must be routable. Left out: 1.',
      '--max-age <duration>': 'Greatest age of the account list. Left out: 5m.',
      '--stale-ok': 'Let readings of any age count.',
      ...PROVIDER_OPTION,
      ...JSON_OPTION,
      ...SERVICE_OPTIONS,
    },
    load: async () => (await import('./commands/guard.ts')).guard,
  },
  accounts: {
    summary: 'List the accounts of the pool, best first.',
    options: {
      '--blocked <reasons>': 'Only accounts blocked by one of these, as auth_invalid,cooldown.',
      ...FILTER_OPTIONS,
      '--format <table|names|json|csv>':
        'How to print them. Left out: table, as wide as the terminal or as COLUMNS says.',
      '--json': 'The same as --format json.',
      ...SERVICE_OPTIONS,
    },
    load: async () => (await import('./commands/accounts.ts')).accounts,
  },
  events: {
    summary: 'Print what happens in the pool, a line each, until Ctrl-C.',
    options: { '--json': 'One JSON document a line, for scripts.', ...SERVICE_OPTIONS },
    load: async () => (await import('./commands/events.ts')).events,
  },
  why: {
    takes: '<account>',
    summary: 'Say why an account is used or not: its score, its windows and what blocks it.',
    options: { ...JSON_OPTION, ...SERVICE_OPTIONS },
    load: async () => (await import('./commands/why.ts')).why,
  },
  'print-config': {
    summary: 'Print the resolved configuration without secrets.',
    options: {
      '--demo': 'Show the configuration of the demo.',
      '--diff': 'Leave out what is as by default.',
      ...JSON_OPTION,
    },
    takesSettings: true,
    load: async () => (await import('./commands/print-config.ts')).printConfig,
  },
  doctor: {
    summary: 'Check the set-up and say what to do; asks the proxy once before anything else.',
    options: { '--verbose': 'Name the checks that were skipped, and why.', ...JSON_OPTION },
    takesSettings: true,
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  notify: {
    takes: '[name]',
    summary: 'Send a test message to the targets of the configuration, or to the named one.',
    options: {
      '--test': 'Send it, and print what became of it; must be given.',
      '--config <path>': 'Configuration file to read the targets from.',
      ...JSON_OPTION,
    },
    load: async () => (await import('./commands/notify.ts')).notify,
  },
  init: {
    takes: '[artifact]',
    summary:
      'Print what a deployment needs (unit, container, reverse proxy, alerts, ...), or write all of it.',
    options: {
      '--write <dir>': 'Write all artifacts into this folder.',
      '--force': 'Write over files that are there.',
    },
    takesSettings: true,
    load: async () => (await import('./commands/init.ts')).init,
  },
  redact: {
    takes: '[...files]',
    summary:
      'Make redacted copies of files and folders: JSON, JSONL, CSV, YAML, TOML, XML, text, SQLite.',
    options: {
      '--output <dir>': 'Folder of the copies; not the one of the originals.',
      '--keep-map <file>': 'Keep which value each pseudonym replaces; as secret as the originals.',
      ...JSON_OPTION,
    },
    takesSettings: true,
    load: async () => (await import('./commands/redact.ts')).redact,
  },
  bundle: {
    summary: 'Collect what a report of a problem needs, redacted, in one folder.',
    options: {
      '--output <dir>': 'Folder that does not exist yet.',
      '--log <file>': 'Take the last lines of this log along.',
      '--journal <unit>': 'Take the last lines of this systemd unit along.',
      ...JSON_OPTION,
    },
    takesSettings: true,
    load: async () => (await import('./commands/bundle.ts')).bundle,
  },
  'export-history': {
    summary: 'Write a backup of the store.',
    options: {
      ...STORE_OPTIONS,
      '--config <path>': 'Configuration file to read state_db from.',
      '--output <file>': 'A file that does not exist yet; - for standard output.',
    },
    load: async () => (await import('./commands/backup.ts')).exportHistory,
  },
  'import-history': {
    takes: '[file]',
    summary: 'Add a backup to a store; safe to repeat. - reads standard input.',
    options: {
      '--state-db <path|address>':
        'The store; no service may use a file meanwhile. Left out: state_db of the configuration.',
      ...PASSWORD_OPTION,
      '--config <path>': 'Configuration file to read state_db from.',
    },
    load: async () => (await import('./commands/backup.ts')).importHistory,
  },
  'export-usage': {
    summary: 'Print what each client, account or model used in a month, for a bill.',
    options: {
      '--month <month>': 'As in 2026-10; its days are those of UTC.',
      '--by <what>': 'client, account or model. Left out: client.',
      '--format <format>': 'csv, or jsonl: one JSON object a line. Left out: csv.',
      '--output <file>': 'A file that does not exist yet. Left out: standard output.',
      ...STORE_OPTIONS,
      '--client-labels-file <path>':
        'Names of clients. Left out: client_labels_file of the configuration.',
      '--config <path>': 'Configuration file to read both from.',
    },
    load: async () => (await import('./commands/export-usage.ts')).exportUsage,
  },
  'migrate-history': {
    summary: 'Move a store from a file into a database, while a service writes the file.',
    options: {
      '--from <path>': 'The file; it stays as it is.',
      '--to <address>': 'The database, as in postgres://host/database.',
      ...PASSWORD_OPTION,
      '--upstream <name>':
        'Add the file to the history of other proxies: what its proxy is called there.',
    },
    load: async () => (await import('./commands/migrate.ts')).migrateHistory,
  },
  top: {
    summary: 'Show a live table of the pool; plain and once where the output is no terminal.',
    options: {
      '--once': 'Print the table once and end.',
      '--sort <order>': 'score, name, 5h, week or reset. Left out: score.',
      ...PROVIDER_OPTION,
      ...SERVICE_OPTIONS,
    },
    load: async () => (await import('./commands/top.ts')).top,
  },
  plan: {
    summary:
      'Say which accounts should be switched off at the proxy, and which on again; changes nothing itself.',
    options: {
      '--priorities': 'Propose routing priorities as well, so that the best accounts go first.',
      '--sh': 'Print the changes as shell commands; KEY_FILE names the file with the key.',
      ...PROVIDER_OPTION,
      ...JSON_OPTION,
      ...SERVICE_OPTIONS,
    },
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  completion: {
    takes: '[bash|zsh|fish]',
    summary: 'Print what completes commands, flags and values in a shell.',
    options: {},
    load: null,
  },
  line: {
    summary: 'Print the pool in one line, for a bar: what binds, its reset, severity and age.',
    options: {
      '--format <name>': `What reads the line: ${lineFormatNames.join(', ')}. Left out: plain.`,
      ...PROVIDER_OPTION,
      ...SERVICE_OPTIONS,
    },
    load: async () => (await import('./commands/line.ts')).line,
  },
  help: {
    takes: '[command]',
    summary: 'Say what the program, or one of its commands, takes.',
    options: {},
    load: null,
  },
} as const satisfies Readonly<Record<string, CommandPlan>>

export type CommandName = keyof typeof commandTable
export const commandNames = Object.keys(commandTable) as CommandName[]

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commandTable, name)
}

/** Every flag of a command with its help: its own flags, the common ones, and the settings if the command accepts them. */
export function flagRowsOf(name: CommandName): readonly (readonly [flag: string, help: string])[] {
  const { options, takesSettings = false }: CommandPlan = commandTable[name]
  const common = { ...options, '-h': 'Print help.', '--help': 'Print help.' }
  if (!takesSettings) return Object.entries(common)
  const version = 'Print the version.'
  return [
    ...Object.entries({ ...common, '-v': version, '--version': version }),
    ['--config <path|off>', 'Configuration file.'],
    ...settings.map(
      (setting) => [`--${flagOf(setting)} ${setting.placeholder}`, setting.help] as const,
    ),
  ]
}
