import type { SettingHeading, SettingKey } from '@svc/config'
import type { ArtifactId } from '@svc/deploy'
import type { CommandName } from './command-table.ts'

/** English phrases. `noName` stands in for the name of the command that runs the service, which has none. */
const phrases = {
  about:
    'Watches the quota of a pool of accounts behind CLIProxyAPI and says which one to use next.',
  usage: 'Usage',
  sameProgram: '(sqm is the same program)',
  commands: 'Commands',
  noName: '(none)',
  takesOfOne: 'What one of them takes.',
  options: 'Options',
  configOption: 'Configuration file (TOML); off reads none.',
  helpOption: 'Print this text.',
  versionOption: 'Print the version.',
  artifacts: 'Artifacts',
  exitCodes: `Exit codes: 0 it went well, 1 what was asked for failed, or the answer is no (for doctor: a check
failed), 2 a mistake in the command line or the configuration, 3 the answer is not known or too old,
4 the service is not reachable or does not answer.
`,
  settingsNote: `Every setting is also an environment variable (--log-level is SVC_QUOTA_MONITOR_LOG_LEVEL) and a key
of the configuration file (log_level). Flags win over the environment, the environment over the
file. The management key itself is taken from its file or from SVC_QUOTA_MONITOR_MANAGEMENT_KEY,
never from a flag.
`,
}

/** Words of the help in one language, other than names, flags and values. */
export interface HelpWords extends Readonly<Record<keyof typeof phrases, string>> {
  /** Translations of the English texts in the tables of commands, settings and artifacts; null for English. */
  readonly tables: {
    /** For each command, its summary and its options by flag. */
    readonly commands: Readonly<Record<CommandName, Readonly<Record<string, string>>>>
    readonly headings: Readonly<Record<SettingHeading, string>>
    readonly settings: Readonly<Record<SettingKey, string>>
    readonly fallbacks: Readonly<Record<string, string>>
    readonly artifacts: Readonly<Record<ArtifactId, string>>
  } | null
}

export const englishHelpWords: HelpWords = { ...phrases, tables: null }
