import { flagOf, settings } from '@svc/config'
import { formatNames } from './glance/line-formats.ts'
import type { CliContext } from './program/cli-context.ts'
import type { ParsedOptions } from './program/flags.ts'
import { FILTER_OPTIONS } from './service/account-filter.ts'
import { SERVICE_OPTIONS } from './service/running-service.ts'

/** Runs the command and resolves with its exit code. `given`: the parsed arguments after the name. */
export type CommandAction = (
  options: ParsedOptions,
  context: CliContext,
  given: unknown,
) => Promise<number> | number

/** One command: its help, its syntax and its code. */
export interface CommandPlan {
  /** Empty for the command that runs the service. */
  readonly name: string
  /** Placeholder of the arguments after the name, in the parser's notation. */
  readonly takes: string
  readonly summary: string
  readonly options: readonly (readonly [flag: string, help: string])[]
  /** Whether the command takes the configuration, and therefore every setting as a flag. */
  readonly takesSettings: boolean
  /** Loads the command's code only when it runs, so that other commands start fast. Null for what is made from this table. */
  readonly load: (() => Promise<CommandAction>) | null
}

const JSON_OPTION = ['--json', 'One JSON document, for scripts.'] as const

/** Every command, in the order of help. */
export const commandTable = [
  {
    name: '',
    takes: '',
    summary: 'Run the service.',
    options: [['--demo', 'Serve a built-in sample pool; needs no key and reads no file.']],
    takesSettings: true,
    load: async () => (await import('./commands/run.ts')).run,
  },
  {
    name: 'pick',
    takes: '',
    summary: 'Print the account for the next request; ends with 1 if none may be used.',
    options: [
      [
        '--as <name>',
        'Name of the caller: the service remembers what it holds and spreads callers.',
      ],
      ['--keep <account>', 'The account in use, which stays while it is nearly the best.'],
      ['--avoid <accounts>', 'Accounts that just failed, as a.json,b.json.'],
      ['--failed <account>', 'Account that just failed for this caller; needs --as.'],
      ...FILTER_OPTIONS,
      ['--wait <duration>', 'Wait this long for an account that may be used, as 30s, 10m or 1h.'],
      [
        '--format <text>',
        'What to print. Left out: {authName}. Also {accountKey}, {authIndex}, {title}, {plan}, {score}, {provider}, {upstream}, {text}.',
      ],
      JSON_OPTION,
      ...SERVICE_OPTIONS,
    ],
    takesSettings: false,
    load: async () => (await import('./commands/pick.ts')).pick,
  },
  {
    name: 'guard',
    takes: '',
    summary:
      'Say whether the pool has what a job needs; ends with 0 if so, 1 if not, 3 if that is not known.',
    options: [
      ['--window <5h|week>', 'Window whose quota counts. Left out: week.'],
      ['--min-units <number>', 'Plus units that routable accounts must have left. Left out: 2.'],
      ['--min-accounts <count>', 'Accounts that must be routable. Left out: 1.'],
      ['--max-age <duration>', 'Greatest age of the account list. Left out: 5m.'],
      ['--stale-ok', 'Let readings of any age count.'],
      JSON_OPTION,
      ...SERVICE_OPTIONS,
    ],
    takesSettings: false,
    load: async () => (await import('./commands/guard.ts')).guard,
  },
  {
    name: 'accounts',
    takes: '',
    summary: 'List the accounts of the pool, best first.',
    options: [
      ['--blocked <reasons>', 'Only accounts blocked by one of these, as auth_invalid,cooldown.'],
      ...FILTER_OPTIONS,
      [
        '--format <table|names|json|csv>',
        'How to print them. Left out: table, as wide as the terminal or as COLUMNS says.',
      ],
      ['--json', 'The same as --format json.'],
      ...SERVICE_OPTIONS,
    ],
    takesSettings: false,
    load: async () => (await import('./commands/accounts.ts')).accounts,
  },
  {
    name: 'events',
    takes: '',
    summary: 'Print what happens in the pool, a line each, until Ctrl-C.',
    options: [['--json', 'One JSON document a line, for scripts.'], ...SERVICE_OPTIONS],
    takesSettings: false,
    load: async () => (await import('./commands/events.ts')).events,
  },
  {
    name: 'why',
    takes: '<account>',
    summary: 'Say why an account is used or not: its score, its windows and what blocks it.',
    options: [JSON_OPTION, ...SERVICE_OPTIONS],
    takesSettings: false,
    load: async () => (await import('./commands/why.ts')).why,
  },
  {
    name: 'print-config',
    takes: '',
    summary: 'Print the resolved configuration without secrets.',
    options: [
      ['--demo', 'Show the configuration of the demo.'],
      ['--diff', 'Leave out what is as by default.'],
      JSON_OPTION,
    ],
    takesSettings: true,
    load: async () => (await import('./commands/print-config.ts')).printConfig,
  },
  {
    name: 'doctor',
    takes: '',
    summary: 'Check the set-up and say what to do; asks the proxy once before anything else.',
    options: [['--verbose', 'Name the checks that were skipped, and why.'], JSON_OPTION],
    takesSettings: true,
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'notify',
    takes: '[name]',
    summary: 'Send a test message to the targets of the configuration, or to the named one.',
    options: [
      ['--test', 'Send it, and print what became of it; must be given.'],
      ['--config <path>', 'Configuration file to read the targets from.'],
      JSON_OPTION,
    ],
    takesSettings: false,
    load: async () => (await import('./commands/notify.ts')).notify,
  },
  {
    name: 'init',
    takes: '[artifact]',
    summary:
      'Print what a deployment needs (unit, container, reverse proxy, alerts, ...), or write all of it.',
    options: [
      ['--write <dir>', 'Write all artifacts into this folder.'],
      ['--force', 'Write over files that are there.'],
    ],
    takesSettings: true,
    load: async () => (await import('./commands/init.ts')).init,
  },
  {
    name: 'redact',
    takes: '[...files]',
    summary:
      'Make redacted copies of files and folders: JSON, JSONL, CSV, YAML, TOML, XML, text, SQLite.',
    options: [
      ['--output <dir>', 'Folder of the copies; not the one of the originals.'],
      [
        '--keep-map <file>',
        'Keep which value each pseudonym replaces; as secret as the originals.',
      ],
      JSON_OPTION,
    ],
    takesSettings: true,
    load: async () => (await import('./commands/redact.ts')).redact,
  },
  {
    name: 'bundle',
    takes: '',
    summary: 'Collect what a report of a problem needs, redacted, in one folder.',
    options: [
      ['--output <dir>', 'Folder that does not exist yet.'],
      ['--log <file>', 'Take the last lines of this log along.'],
      ['--journal <unit>', 'Take the last lines of this systemd unit along.'],
      JSON_OPTION,
    ],
    takesSettings: true,
    load: async () => (await import('./commands/bundle.ts')).bundle,
  },
  {
    name: 'export-history',
    takes: '',
    summary: 'Write a backup of the store.',
    options: [
      [
        '--state-db <path|address>',
        'The store; a service may go on using it. Left out: state_db of the configuration.',
      ],
      [
        '--state-db-password-file <path>',
        'File with the password of a database; PGPASSFILE and PGPASSWORD count as well.',
      ],
      ['--config <path>', 'Configuration file to read state_db from.'],
      ['--output <file>', 'A file that does not exist yet; - for standard output.'],
    ],
    takesSettings: false,
    load: async () => (await import('./commands/backup.ts')).exportHistory,
  },
  {
    name: 'import-history',
    takes: '[file]',
    summary: 'Add a backup to a store; safe to repeat. - reads standard input.',
    options: [
      [
        '--state-db <path|address>',
        'The store; no service may use a file meanwhile. Left out: state_db of the configuration.',
      ],
      [
        '--state-db-password-file <path>',
        'File with the password of a database; PGPASSFILE and PGPASSWORD count as well.',
      ],
      ['--config <path>', 'Configuration file to read state_db from.'],
    ],
    takesSettings: false,
    load: async () => (await import('./commands/backup.ts')).importHistory,
  },
  {
    name: 'export-usage',
    takes: '',
    summary: 'Print what each client, account or model used in a month, for a bill.',
    options: [
      ['--month <month>', 'As in 2026-10; its days are those of UTC.'],
      ['--by <what>', 'client, account or model. Left out: client.'],
      ['--format <format>', 'csv, or jsonl: one JSON object a line. Left out: csv.'],
      ['--output <file>', 'A file that does not exist yet. Left out: standard output.'],
      [
        '--state-db <path|address>',
        'The store; a service may go on using it. Left out: state_db of the configuration.',
      ],
      [
        '--state-db-password-file <path>',
        'File with the password of a database; PGPASSFILE and PGPASSWORD count as well.',
      ],
      [
        '--client-labels-file <path>',
        'Names of clients. Left out: client_labels_file of the configuration.',
      ],
      ['--config <path>', 'Configuration file to read both from.'],
    ],
    takesSettings: false,
    load: async () => (await import('./commands/export-usage.ts')).exportUsage,
  },
  {
    name: 'migrate-history',
    takes: '',
    summary: 'Move a store from a file into a database, while a service writes the file.',
    options: [
      ['--from <path>', 'The file; it stays as it is.'],
      ['--to <address>', 'The database, as in postgres://host/database.'],
      [
        '--state-db-password-file <path>',
        'File with the password of a database; PGPASSFILE and PGPASSWORD count as well.',
      ],
      [
        '--upstream <name>',
        'Add the file to the history of other proxies: what its proxy is called there.',
      ],
    ],
    takesSettings: false,
    load: async () => (await import('./commands/migrate.ts')).migrateHistory,
  },
  {
    name: 'top',
    takes: '',
    summary: 'Show a live table of the pool; plain and once where the output is no terminal.',
    options: [
      ['--once', 'Print the table once and end.'],
      ['--sort <order>', 'score, name, 5h, week or reset. Left out: score.'],
      ...SERVICE_OPTIONS,
    ],
    takesSettings: false,
    load: async () => (await import('./commands/top.ts')).top,
  },
  {
    name: 'plan',
    takes: '',
    summary:
      'Say which accounts should be switched off at the proxy, and which on again; changes nothing itself.',
    options: [
      ['--priorities', 'Propose routing priorities as well, so that the best accounts go first.'],
      ['--sh', 'Print the changes as shell commands; KEY_FILE names the file with the key.'],
      JSON_OPTION,
      ...SERVICE_OPTIONS,
    ],
    takesSettings: false,
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  {
    name: 'completion',
    takes: '[bash|zsh|fish]',
    summary: 'Print what completes commands, flags and values in a shell.',
    options: [],
    takesSettings: false,
    load: null,
  },
  {
    name: 'line',
    takes: '',
    summary: 'Print the pool in one line, for a bar: what binds, its reset, severity and age.',
    options: [
      ['--format <name>', `What reads the line: ${formatNames}. Left out: plain.`],
      ...SERVICE_OPTIONS,
    ],
    takesSettings: false,
    load: async () => (await import('./commands/line.ts')).line,
  },
  {
    name: 'help',
    takes: '[command]',
    summary: 'Say what the program, or one of its commands, takes.',
    options: [],
    takesSettings: false,
    load: null,
  },
] as const satisfies readonly CommandPlan[]

export type CommandName = (typeof commandTable)[number]['name']

export function isCommand(name: string): name is CommandName {
  return commandTable.some((plan) => plan.name === name)
}

export function planOf(asked: CommandName): CommandPlan {
  return commandTable.find(({ name }) => name === asked) ?? commandTable[0]
}

/** Every flag of a command with its help: its own ones, the common ones, and the settings if it takes them. */
export function flagRowsOf({
  options,
  takesSettings,
}: CommandPlan): readonly (readonly [flag: string, help: string])[] {
  const help = 'Print help.'
  const common = [...options, ['-h', help], ['--help', help]] as const
  if (!takesSettings) return common
  const version = 'Print the version.'
  return [
    ...common,
    ...([
      ['-v', version],
      ['--version', version],
    ] as const),
    ['--config <path|off>', 'Configuration file.'],
    ...settings.map(
      (setting) => [`--${flagOf(setting)} ${setting.placeholder}`, setting.help] as const,
    ),
  ]
}
