import {
  CONFIG_ENV,
  envNameOf,
  flagOf,
  headingOf,
  MANAGEMENT_KEY_ENV,
  type NotifySetting,
  notifySettings,
  type Setting,
  settings,
} from '@svc/config'

/** `docs/configuration.md`, from the one table of settings. */
export function configurationDoc(): string {
  const headings = [...new Set(settings.map(headingOf))]
  return `# Configuration

<!-- Made by \`npm run docs\` from the table in packages/config; a test keeps it current. -->

Every setting is a flag, an environment variable and a key of a TOML file. Flags win over the environment, the environment
over the file, the file over the default. The file is the one that \`--config\` or \`${CONFIG_ENV}\` names, else the first of
\`$XDG_CONFIG_HOME/svc-quota-monitor/config.toml\` (\`~/.config\` where that is not set) and
\`/etc/svc-quota-monitor/config.toml\`; \`--config off\` reads none. A relative path in the file
starts at the folder of that file, on the command line and in the environment at the working directory; \`~\` and variables in it
are not expanded, but refused. An unknown key, flag or variable, and a value
that is not allowed, end the start with one line that names it and what is allowed, and with exit code 2; \`doctor\` lists all of
them. Variables that Kubernetes sets for a service named \`svc-quota-monitor\` (\`..._SERVICE_HOST\`, \`..._PORT=tcp://...\`) are
ignored with one line.

The management key itself comes from the file that \`management_key_file\` names or from \`${MANAGEMENT_KEY_ENV}\`, which wins. It is never
a flag, because process lists show flags, and never in the TOML file. The file is read again every \`refresh_seconds\`.
It is refused when it, or a folder above it, belongs to anybody but the user of the service and root, when its group or others
can write it, and when others or a group that is neither root's nor the user's own can write a folder above it (sticky folders
such as \`/tmp\` excepted). The same rule holds for the password file of the database, the files with addresses of receivers, the file of client labels and
the auth files, which may also belong to the user who owns their folder. When others can only read one of them, health says so; of an address \`doctor\` does.

\`svc-quota-monitor print-config\` shows what is in force and where each value comes from, \`svc-quota-monitor init config\` prints a
file with every key explained.

${headings
  .map(
    (heading) =>
      `## ${heading}\n\n${settings
        .filter((setting) => headingOf(setting) === heading)
        .map(entryOf)
        .join('\n')}`,
  )
  .join('\n')}
## Messages

Each target of messages has a table \`[[notify]]\` at the end of the configuration file, at most 20 of them: a \`name\` of its own, 1 to 32 of
a-z, 0-9 and -, and the keys below. There is no flag and no variable for them, and an address in the file is refused without being repeated. The
demo has no use for them. [Being told](operating.md#being-told) says when to use them and what goes into the file of an address.

| key | takes | default | |
| --- | --- | --- | --- |
${notifySettings.map(notifyRow).join('')}`
}

function notifyRow({ key, kind, fallbackText, help }: NotifySetting): string {
  return `| \`${key}\` | ${kind.allowed} | ${fallbackText ?? 'must be given'} | ${help} |\n`
}

function entryOf(setting: Setting): string {
  const { key, kind, help, fallback, fallbackText, placeholder, repeatable, ignoredInDemo } =
    setting
  const notes = [
    repeatable === true ? 'The flag may be repeated.' : '',
    ignoredInDemo ? 'The demo has no use for it.' : '',
  ].filter((note) => note !== '')
  return `### \`${key}\`

${help}${notes.length === 0 ? '' : ` ${notes.join(' ')}`}

- takes ${kind.allowed}
- default: ${fallbackText ?? String(fallback ?? 'none')}
- \`--${flagOf(setting)} ${placeholder}\`, \`${envNameOf(setting)}\`
`
}
