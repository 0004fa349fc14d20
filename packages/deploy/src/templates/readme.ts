import { BAN_SECONDS, REFUSALS_TO_BAN } from '@svc/core/service'
import {
  handedAddresses,
  handedProxies,
  type Installation,
  isGiven,
  shellWord,
} from '../installation/installation.ts'

/** A section of the README: instructions for some of the files. */
interface Step {
  readonly title: string
  readonly text: (installation: Installation) => string
}

/** Steps in the order of execution. A new one is one entry here. */
const steps: readonly Step[] = [
  { title: '1. Configuration and key', text: configurationAndKey },
  { title: '2. Check', text: check },
  { title: '3a. As a systemd service', text: systemdService },
  { title: '3b. As a container', text: container },
  { title: '4. A name, TLS and a login', text: nameAndLogin },
  { title: '5. Metrics and alerts', text: metricsAndAlerts },
  { title: '6. Backups', text: backups },
  { title: '7. Names for clients', text: clientNames },
  { title: '8. A database for the history', text: database },
  { title: '9. On a bar or a start page', text: () => '`widgets.md` says what to put where.\n' },
  {
    title: '10. The proxy routes by the ranking',
    text: () =>
      '`proxy-plugin.yaml` has the lines for its configuration, once the plugin is built.\n',
  },
  {
    title: '11. What usage costs at list prices',
    text: () =>
      'The first lines of `prices.toml` say how to fetch a file of prices, and where both go.\n',
  },
  { title: '12. Take it away again', text: removal },
]

/** Instructions for the written files, step by step. */
export function readme(installation: Installation): string {
  const sections = steps.map(({ title, text }) => `## ${title}\n\n${text(installation)}`)
  return `# Deploying svc-quota-monitor ${installation.version}

Made by \`svc-quota-monitor init --write\` from your configuration. No file here holds a secret. Steps 1 and 2 come first; then
take either 3a or 3b; everything after that is optional, in any order.

${sections.join('\n')}`
}

function configurationAndKey(installation: Installation): string {
  const { configPath, hasConfig } = installation
  const { keys } = handedProxies(installation, '/etc/svc-quota-monitor/management-key')
  const write = (files: typeof keys, what: string) =>
    files.map(
      ({ file }) =>
        `[ -s ${shellWord(file)} ] || (umask 077 && cat > ${shellWord(file)})    # paste ${what}, Enter, Ctrl-D`,
    )
  const written = [
    ...write(keys, 'the management key of the proxy'),
    ...write(handedAddresses(installation), 'the address of the receiver'),
  ]
  const place = hasConfig
    ? `Your configuration stays where it is, \`${configPath}\`; \`config.toml\` beside this file is the same with every key explained.\n\n`
    : ''
  const install = hasConfig ? '' : `install -m 600 config.toml ${shellWord(configPath)}\n`
  return `${place}\`\`\`sh
install -d -m 755 /etc/svc-quota-monitor
${install}${written.join('\n')}
\`\`\`

The key is the one that \`remote-management.secret-key\` (\`management.secret-key\` with \`config-version: 8\`, or \`MANAGEMENT_PASSWORD\`) of CLIProxyAPI was set to, in plain text.
`
}

function check({ configPath }: Installation): string {
  return `\`\`\`sh
svc-quota-monitor doctor --config ${shellWord(configPath)}
\`\`\`

It says what is wrong and what to do. After "the proxy refused the management key" put the right key in place before you try
again: ${REFUSALS_TO_BAN} refusals are a ban of ${BAN_SECONDS / 60} minutes.
`
}

function systemdService(): string {
  return `\`svc-quota-monitor.service\` goes to \`/etc/systemd/system/\`. Install the program for the whole machine first, not in a home
directory.

\`\`\`sh
install -m 644 svc-quota-monitor.service /etc/systemd/system/
systemctl daemon-reload && systemctl enable --now svc-quota-monitor
\`\`\`

\`svc-quota-monitor.user.service\` is a unit of your own, without root, and \`svc-quota-monitor.plist\` the like for a Mac; their first lines say where they go.

A new key or a changed configuration needs \`systemctl restart svc-quota-monitor\`.
`
}

function container({ version }: Installation): string {
  return `\`Dockerfile\` and \`compose.yaml\` stay in this folder, with \`svc-quota-monitor-${version}.tgz\` (\`npm run package\` makes it) beside
them, unless the machine has the image of \`npm run package -- --image\`. The first lines of \`compose.yaml\` say who must own the key file.

\`\`\`sh
docker compose up --detach
\`\`\`

Other containers of its network reach it as \`svc-quota-monitor:4515\`, which its \`allowed_hosts\` list: in \`prometheus.yml\` of a Prometheus in
a container that is the target. A name that is not listed is refused with 403, at \`/healthz\` and \`/metrics\` too.
`
}

function nameAndLogin(installation: Installation): string {
  const { publicName, publicPort, address } = installation
  const page = `https://${publicName}${publicPort === null ? '' : `:${publicPort}`}/`
  const replace = isGiven(installation, 'allowed_hosts')
    ? ''
    : ` Replace ${publicName} by your own name: run init again with \`--allowed-host <name>\`.`
  return `The service has no login, so it listens on ${address} alone and one of these stands in front of it: \`nginx.conf\` goes to
\`/etc/nginx/conf.d/svc-quota-monitor.conf\`, or \`Caddyfile\` to \`/etc/caddy/Caddyfile\`. Their first lines say how to make the login.
The page is then at ${page}.${replace}
`
}

function metricsAndAlerts({ config }: Installation): string {
  const receivers =
    config.notify.targets.length > 0
      ? 'its receivers are those of your `[[notify]]` tables, and its first lines say\nwhat to look at'
      : 'set the two addresses\nat its end to where you want to be notified'
  return `\`prometheus.yml\` and \`quota-rules.yml\` go to \`/etc/prometheus/\`, side by side; where Prometheus runs already, copy the parts that
are missing. \`alertmanager.yml\` goes to \`/etc/alertmanager/\` (Debian: \`/etc/prometheus/alertmanager.yml\`); ${receivers}. Check before you reload:

\`\`\`sh
promtool check config prometheus.yml
promtool test rules quota-rules.test.yml
amtool check-config alertmanager.yml
\`\`\`

\`grafana-dashboard.json\` is imported in Grafana under Dashboards, New, Import.
`
}

function backups(): string {
  return `\`\`\`sh
install -m 644 svc-quota-monitor-backup.service svc-quota-monitor-backup.timer /etc/systemd/system/
systemctl daemon-reload && systemctl enable --now svc-quota-monitor-backup.timer
systemctl start svc-quota-monitor-backup    # one now
\`\`\`

The newest 14 stay in \`/var/lib/svc-quota-monitor/backups\`. They hold client keys, as the store does. To bring one back, stop the
service and run \`svc-quota-monitor import-history --state-db <new file> <backup>\`.
`
}

function clientNames({ configPath }: Installation): string {
  return `Put your client keys and their names into \`client-labels.json\`, install it as \`/etc/svc-quota-monitor/client-labels.json\` with mode
600, and set \`client_labels_file\` in \`${configPath}\`; then make the unit or \`compose.yaml\` again, which hand it on.
`
}

function database(): string {
  return `A file is enough for one machine. Where several machines share a history, or \`doctor\` says that a file is outgrown, make a role
in PostgreSQL 15 or newer with \`postgres.sql\`, and let it in with the lines of \`pg_hba.conf\`; the first lines of \`postgres.sql\` say
how. Copy the history while the service runs, set \`state_db\` and \`state_db_password_file\`, and start again:

\`\`\`sh
svc-quota-monitor migrate-history --from <file> --to <address>
\`\`\`

\`compose.postgres.yaml\` is a server of its own beside the container.
`
}

function removal({ configPath }: Installation): string {
  return `\`\`\`sh
systemctl disable --now svc-quota-monitor svc-quota-monitor-backup.timer
rm -f /etc/systemd/system/svc-quota-monitor.service /etc/systemd/system/svc-quota-monitor-backup.*
systemctl daemon-reload
npm uninstall --global svc-quota-monitor
\`\`\`

or \`docker compose down\`. This stays until you remove it: the configuration, keys and labels beside \`${configPath}\`; the history and its
backups, \`/var/lib/svc-quota-monitor\` or the volume \`state\`; in PostgreSQL the schema and the role (\`DROP SCHEMA svc_quota_monitor CASCADE\`,
then \`DROP ROLE\`) and the lines in \`pg_hba.conf\`; what you copied to nginx, Caddy, Prometheus, Alertmanager and Grafana.
`
}
