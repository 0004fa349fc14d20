import { flagOf, settings } from '@svc/config'
import { startWayIds } from '@svc/setup/start-ways'
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

export type CommandGroup = 'Run' | 'Look' | 'Scripts' | 'Set up' | 'History'

/** One command: its help, its syntax and its code. */
export interface CommandPlan {
  /** Placeholder of the arguments after the name: `<one>`, `[one]` or `[...any]`; absent if there are none. */
  readonly takes?: string
  readonly group: CommandGroup
  readonly summary: string
  /** Meaning of its exit codes, other than 0 for success and 2 for a mistake of the user. */
  readonly exits: Readonly<Record<number, string>>
  /** Help text of each flag; the key contains the placeholder of its value. */
  readonly options: Readonly<Record<string, string>>
  /** Keys that the running command takes. */
  readonly keys?: Readonly<Record<string, string>>
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

const CANNOT = 'what was asked for failed'
/** Meaning of the exit codes of commands that ask a running service about its pool. */
const SERVICE_EXITS = {
  3: 'nothing is known yet',
  4: 'the service is not reachable or does not answer',
} as const
/** Meaning of exit codes that every command has unless it says otherwise. */
export const COMMON_EXITS = {
  0: 'it went well',
  2: 'a mistake in the command line or the configuration',
} as const

/** Every command by its name, in the order of the help. The command that runs the service has an empty name. */
export const commandTable = {
  '': {
    group: 'Run',
    summary: 'Run the service.',
    exits: {
      1: 'what was asked for failed, or the answer is no',
      3: 'the answer is not known or too old',
      4: SERVICE_EXITS[4],
    },
    options: { '--demo': 'Serve a built-in sample pool; needs no key and reads no file.' },
    takesSettings: true,
    load: async () => (await import('./commands/run.ts')).run,
  },
  help: {
    takes: '[command]',
    group: 'Run',
    summary: 'Say what the program, or one of its commands, takes.',
    exits: {},
    options: {},
    load: null,
  },
  top: {
    group: 'Look',
    summary: 'Show a live table of the pool.',
    exits: SERVICE_EXITS,
    options: {
      '--once': 'Print the table once and end, as is done where the output is no terminal.',
      '--sort <order>': 'score, name, 5h, week or reset. Left out: score.',
      ...PROVIDER_OPTION,
      ...SERVICE_OPTIONS,
    },
    keys: {
      s: 'Next order of the accounts.',
      '/': 'Show the accounts that contain what is typed; Enter keeps it, Esc clears it.',
      'Up, Down, PgUp, PgDn': 'Scroll.',
      'q, Ctrl-C': 'Quit.',
    },
    load: async () => (await import('./commands/top.ts')).top,
  },
  accounts: {
    group: 'Look',
    summary: 'List the accounts of the pool, best first.',
    exits: SERVICE_EXITS,
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
  why: {
    takes: '[account]',
    group: 'Look',
    summary: 'Say why an account is used or not, or what a sum is made of.',
    exits: {
      1: 'no such account',
      2: 'several such accounts, or a mistake in the command line or the configuration',
      ...SERVICE_EXITS,
    },
    options: {
      '--pool': 'Instead of one account the sums of the pool, account by account.',
      ...FILTER_OPTIONS,
      ...JSON_OPTION,
      ...SERVICE_OPTIONS,
    },
    load: async () => (await import('./commands/why.ts')).why,
  },
  line: {
    group: 'Look',
    summary: 'Print the pool in one line, for a bar.',
    exits: SERVICE_EXITS,
    options: {
      '--format <name>': `What reads the line: ${lineFormatNames.join(', ')}. Left out: plain.`,
      '--alive': 'End with 0 also while nothing is known yet, as a health check asks.',
      ...PROVIDER_OPTION,
      ...SERVICE_OPTIONS,
    },
    load: async () => (await import('./commands/line.ts')).line,
  },
  events: {
    group: 'Look',
    summary: 'Print what happens in the pool, until Ctrl-C.',
    exits: { 0: 'Ctrl-C, or nobody reads the output any more', 4: SERVICE_EXITS[4] },
    options: { '--json': 'One JSON document a line, for scripts.', ...SERVICE_OPTIONS },
    load: async () => (await import('./commands/events.ts')).events,
  },
  pick: {
    group: 'Scripts',
    summary: 'Print the account for the next request.',
    exits: { 1: 'no account may be used', ...SERVICE_EXITS },
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
    group: 'Scripts',
    summary: 'Say whether the pool has what a job needs.',
    exits: { 0: 'enough', 1: 'not enough', 3: 'not known, or too old', 4: SERVICE_EXITS[4] },
    options: {
      '--window <5h|day|week|month>':
        'Window whose quota counts, if the provider has it. Left out: week.',
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
  plan: {
    group: 'Scripts',
    summary: 'Say which accounts to switch off or on at the proxy; changes nothing itself.',
    exits: { 0: 'nothing to do', 1: 'changes to make', ...SERVICE_EXITS },
    options: {
      '--priorities': 'Propose routing priorities as well, so that the best accounts go first.',
      '--sh': 'Print the changes as shell commands; KEY_FILE names the file with the key.',
      ...PROVIDER_OPTION,
      ...JSON_OPTION,
      ...SERVICE_OPTIONS,
    },
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  setup: {
    group: 'Set up',
    summary: 'Find the proxy, configure, check and start the service.',
    exits: { 1: 'a check failed, a question was left, or a file is in the way' },
    options: {
      '--yes': 'Ask nothing: take the flags and what is found.',
      '--start <way>': `How it runs: ${startWayIds.join(', ')}. Left out: asked for, or foreground.`,
      '--force': 'Write over a configuration and files that are there.',
      '--remove': 'Undo it: stop the service and remove what setup has written.',
    },
    takesSettings: true,
    load: async () => (await import('./commands/setup.ts')).setup,
  },
  init: {
    takes: '[artifact]',
    group: 'Set up',
    summary:
      'Print what a deployment needs (unit, container, reverse proxy, alerts, ...), or write all of it.',
    exits: { 1: CANNOT },
    options: {
      '--write <dir>': 'Write all artifacts into this folder.',
      '--force': 'Write over files that are there.',
    },
    takesSettings: true,
    load: async () => (await import('./commands/init.ts')).init,
  },
  doctor: {
    group: 'Set up',
    summary: 'Check the set-up and say what to do; asks the proxy first.',
    exits: { 0: 'no check failed', 1: 'a check failed' },
    options: { '--verbose': 'Name the checks that were skipped, and why.', ...JSON_OPTION },
    takesSettings: true,
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  'print-config': {
    group: 'Set up',
    summary: 'Print the resolved configuration without secrets.',
    exits: {},
    options: {
      '--demo': 'Show the configuration of the demo.',
      '--diff': 'Leave out what is as by default.',
      ...JSON_OPTION,
    },
    takesSettings: true,
    load: async () => (await import('./commands/print-config.ts')).printConfig,
  },
  notify: {
    takes: '[name]',
    group: 'Set up',
    summary: 'Send a test message to the targets of the configuration, or to the named one.',
    exits: { 1: 'a message was not sent' },
    options: {
      '--test': 'Send it, and print what became of it; must be given.',
      '--config <path>': 'Configuration file to read the targets from.',
      ...JSON_OPTION,
    },
    load: async () => (await import('./commands/notify.ts')).notify,
  },
  completion: {
    takes: '[bash|zsh|fish]',
    group: 'Set up',
    summary: 'Print what completes commands, flags and values in a shell.',
    exits: {},
    options: {},
    load: null,
  },
  bundle: {
    group: 'Set up',
    summary: 'Collect what a report of a problem needs, redacted.',
    exits: { 1: 'a part is missing, or a secret could not be read' },
    options: {
      '--output <dir>': 'Folder that does not exist yet.',
      '--log <file>': 'Take the last lines of this log along.',
      '--journal <unit>': 'Take the last lines of this systemd unit along.',
      ...JSON_OPTION,
    },
    takesSettings: true,
    load: async () => (await import('./commands/bundle.ts')).bundle,
  },
  redact: {
    takes: '[...files]',
    group: 'Set up',
    summary:
      'Make redacted copies of files and folders: JSON, JSONL, CSV, YAML, TOML, XML, text, SQLite.',
    exits: { 1: CANNOT },
    options: {
      '--output <dir>': 'Folder of the copies; not the one of the originals.',
      '--keep-map <file>': 'Keep which value each pseudonym replaces; as secret as the originals.',
      ...JSON_OPTION,
    },
    takesSettings: true,
    load: async () => (await import('./commands/redact.ts')).redact,
  },
  'export-history': {
    group: 'History',
    summary: 'Write a backup of the store.',
    exits: { 1: CANNOT },
    options: {
      ...STORE_OPTIONS,
      '--config <path>': 'Configuration file to read state_db from.',
      '--output <file>': 'A file that does not exist yet; - for standard output.',
    },
    load: async () => (await import('./commands/backup.ts')).exportHistory,
  },
  'import-history': {
    takes: '[file]',
    group: 'History',
    summary: 'Add a backup, or what others recorded. - reads stdin.',
    exits: { 1: CANNOT },
    options: {
      '--from <program>':
        'Add what another program recorded: keeper, cpa-manager-plus or usage-export.',
      '--upstream <name>': 'With --from: the proxy that served it, if the store has several.',
      '--state-db <path|address>':
        'The store; no service may use a file meanwhile. Left out: state_db of the configuration.',
      ...PASSWORD_OPTION,
      '--config <path>': 'Configuration file to read state_db from.',
    },
    load: async () => (await import('./commands/backup.ts')).importHistory,
  },
  'export-usage': {
    group: 'History',
    summary: 'Print what each client, account or model used in a month or any time.',
    exits: { 1: CANNOT },
    options: {
      '--month <month>': 'As in 2026-10; its days are those of UTC.',
      '--from <time>': 'In place of a month: 2026-10-14, or an instant with its offset.',
      '--to <time>': 'End of that time, excluded. Left out: now.',
      '--by <what>':
        'client, account or model; with --from also provider, upstream, or two, as in client,model. Left out: client.',
      '--each <part>': 'With --from: all, day or month. Left out: all.',
      '--filter <name=ids>':
        'With --from: only these, as in model=gpt-5.5 or status=limit. May be repeated.',
      '--format <format>': 'csv, or jsonl: one JSON object a line. Left out: csv.',
      '--output <file>': 'A file that does not exist yet. Left out: standard output.',
      ...STORE_OPTIONS,
      '--client-labels-file <path>':
        'Names of clients. Left out: client_labels_file of the configuration.',
      '--price-overrides <path>': 'Own prices. Left out: price_overrides of the configuration.',
      '--config <path>': 'Configuration file to read these from.',
    },
    load: async () => (await import('./commands/export-usage.ts')).exportUsage,
  },
  'migrate-history': {
    group: 'History',
    summary: 'Move a store from a file into a database, while a service writes the file.',
    exits: { 1: CANNOT },
    options: {
      '--from <path>': 'The file; it stays as it is.',
      '--to <address>': 'The database, as in postgres://host/database.',
      ...PASSWORD_OPTION,
      '--upstream <name>':
        'Add the file to the history of other proxies: what its proxy is called there.',
    },
    load: async () => (await import('./commands/migrate.ts')).migrateHistory,
  },
} as const satisfies Readonly<Record<string, CommandPlan>>

export type CommandName = keyof typeof commandTable
export const commandNames = Object.keys(commandTable) as CommandName[]

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commandTable, name)
}

/** Texts of exit codes, which a translation must have. */
type ExitsOf<Name extends CommandName> = (typeof commandTable)[Name]['exits']
export type ExitText =
  | (typeof COMMON_EXITS)[keyof typeof COMMON_EXITS]
  | { [Name in CommandName]: ExitsOf<Name>[keyof ExitsOf<Name>] }[CommandName]

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
