/** One command as help and the parser know it. */
export interface CommandPlan {
  /** Empty for the service itself. */
  readonly name: string
  /** What stands behind the name, as the parser reads it. */
  readonly takes: string
  readonly summary: string
  readonly options: readonly (readonly [flag: string, help: string])[]
  /** Takes the configuration, and so every setting as a flag. */
  readonly takesSettings: boolean
}

const JSON_OPTION = ['--json', 'One JSON document, for scripts.'] as const

/** Every command, in the order of help. Source: interface §1. */
export const commandTable = [
  {
    name: '',
    takes: '',
    summary: 'Run the service.',
    options: [['--demo', 'Serve a built-in sample pool; needs no key and reads no file.']],
    takesSettings: true,
  },
  {
    name: 'print-config',
    takes: '',
    summary: 'Print the resolved configuration without secrets.',
    options: [['--demo', 'Show the configuration of the demo.'], JSON_OPTION],
    takesSettings: true,
  },
  {
    name: 'doctor',
    takes: '',
    summary: 'Check the set-up and say what to do; asks the proxy once before anything else.',
    options: [JSON_OPTION],
    takesSettings: true,
  },
  {
    name: 'init',
    takes: '[artifact]',
    summary: 'Print what a deployment needs (unit, container, reverse proxy, alerts, ...), or write all of it.',
    options: [
      ['--write <dir>', 'Write all artifacts into this folder.'],
      ['--force', 'Write over files that are there.'],
    ],
    takesSettings: true,
  },
  {
    name: 'redact',
    takes: '[...files]',
    summary: 'Make redacted copies of files and folders: JSON, JSONL, CSV, YAML, TOML, XML, text, SQLite.',
    options: [
      ['--output <dir>', 'Folder of the copies; not the one of the originals.'],
      ['--keep-map <file>', 'Keep which value each pseudonym replaces; as secret as the originals.'],
      JSON_OPTION,
    ],
    takesSettings: true,
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
  },
  {
    name: 'export-history',
    takes: '',
    summary: 'Write a backup of the store.',
    options: [
      ['--state-db <path>', 'The store; a service may go on using it. Left out: state_db of the configuration.'],
      ['--config <path>', 'Configuration file to read state_db from.'],
      ['--output <file>', 'A file that does not exist yet; - for standard output.'],
    ],
    takesSettings: false,
  },
  {
    name: 'import-history',
    takes: '[file]',
    summary: 'Add a backup to a store; safe to repeat. - reads standard input.',
    options: [
      ['--state-db <path>', 'The store; no service may use it meanwhile. Left out: state_db of the configuration.'],
      ['--config <path>', 'Configuration file to read state_db from.'],
    ],
    takesSettings: false,
  },
  {
    name: 'help',
    takes: '[command]',
    summary: 'Say what the program, or one of its commands, takes.',
    options: [],
    takesSettings: false,
  },
] as const satisfies readonly CommandPlan[]

export type CommandName = (typeof commandTable)[number]['name']

export function isCommand(name: string): name is CommandName {
  return commandTable.some((plan) => plan.name === name)
}

export function planOf(asked: CommandName): CommandPlan {
  return commandTable.find(({ name }) => name === asked) ?? commandTable[0]
}
