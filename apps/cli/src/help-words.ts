import type { Setting, SettingHeading, SettingKey } from '@svc/config'
import type { ArtifactId } from '@svc/deploy'
import type { CommandName } from './command-table.ts'

/** Words of the help in one language, other than names, flags and values. */
export interface HelpWords {
  readonly about: string
  readonly usage: string
  readonly sameProgram: string
  readonly commands: string
  /** Substitute for the name of the command that runs the service, which has none. */
  readonly noName: string
  readonly takesOfOne: string
  readonly options: string
  readonly configOption: string
  readonly helpOption: string
  readonly versionOption: string
  readonly artifacts: string
  readonly exitCodes: string
  readonly settingsNote: string
  /** `english`: the text in the table of commands. */
  summaryOf(command: CommandName, english: string): string
  optionText(command: CommandName, flag: string, english: string): string
  headingText(heading: SettingHeading): string
  settingText(setting: Setting<SettingKey>): string
  /** `english`: the text in the table of settings. */
  fallbackText(english: string): string
  artifactText(id: ArtifactId, english: string): string
}

/** English words, in which the tables of commands, settings and artifacts are already written. */
export const englishHelpWords: HelpWords = {
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
  summaryOf: (_, english) => english,
  optionText: (_command, _flag, english) => english,
  headingText: (heading) => heading,
  settingText: ({ help }) => help,
  fallbackText: (english) => english,
  artifactText: (_, english) => english,
}
