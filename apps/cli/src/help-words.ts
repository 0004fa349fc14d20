import type { SettingHeading, SettingKey } from '@svc/config'
import type { ArtifactId } from '@svc/deploy'
import type { CommandGroup, CommandName, ExitText } from './command-table.ts'

/** English phrases. `noName` stands in for the name of the command that runs the service, which has none. */
const phrases = {
  about:
    'Watches the quota of a pool of accounts behind CLIProxyAPI and says which one to use next.',
  usage: 'Usage',
  sameProgram: '(sqm is the same program)',
  noName: '(none)',
  options: 'Options',
  keys: 'Keys',
  configOption: 'Configuration file (TOML); off reads none.',
  takesOfOne: 'What one of them takes, and its exit codes.',
  helpOption: 'Print this text.',
  helpAllOption: 'Print this text; all: with the settings, which are flags too.',
  versionOption: 'Print the version.',
  artifacts: 'Artifacts',
  exitCodes: 'Exit codes',
  settingsNote:
    'Every setting is also an environment variable (--log-level is SVC_QUOTA_MONITOR_LOG_LEVEL) and a key of the configuration file (log_level). Flags win over the environment, the environment over the file. The management key itself is taken from its file or from SVC_QUOTA_MONITOR_MANAGEMENT_KEY, never from a flag.',
}

/** Words of the help in one language, other than names, flags and values. */
export interface HelpWords extends Readonly<Record<keyof typeof phrases, string>> {
  /** Translations of the English texts in the tables of commands, settings and artifacts; null for English. */
  readonly tables: {
    /** For each command, its summary, its options by flag and its keys. */
    readonly commands: Readonly<Record<CommandName, Readonly<Record<string, string>>>>
    readonly groups: Readonly<Record<CommandGroup, string>>
    readonly exits: Readonly<Record<ExitText, string>>
    readonly headings: Readonly<Record<SettingHeading, string>>
    readonly settings: Readonly<Record<SettingKey, string>>
    readonly fallbacks: Readonly<Record<string, string>>
    readonly artifacts: Readonly<Record<ArtifactId, string>>
  } | null
}

export const englishHelpWords: HelpWords = { ...phrases, tables: null }
