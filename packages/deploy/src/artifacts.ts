import { addressRefusal, type Installation } from './installation/installation.ts'
import { alertmanager, prometheusConfig } from './templates/alertmanager.ts'
import { backupService, backupTimer } from './templates/backup.ts'
import { compose, dockerfile } from './templates/compose.ts'
import { configToml } from './templates/config-toml.ts'
import { grafanaDashboard } from './templates/grafana-dashboard.ts'
import { postgresCompose, postgresHba, postgresRefusal, postgresSql } from './templates/postgres.ts'
import { pricesToml } from './templates/prices.ts'
import { proxyPlugin } from './templates/proxy-plugin.ts'
import { quotaRules, quotaRulesTest } from './templates/quota-rules.ts'
import { readme } from './templates/readme.ts'
import { caddyfile, nginxConf } from './templates/reverse-proxy.ts'
import { systemdUnit, unitRefusal } from './templates/systemd-unit.ts'
import { launchAgent, userServiceRefusal, userUnit } from './templates/user-service.ts'
import { widgets } from './templates/widgets.ts'

/** Example labels: one client with two keys and one with a single key. */
function clientLabels(): string {
  const clients = [
    { apiName: 'client-key-of-ana', label: "Ana's laptop" },
    { apiName: 'second-key-of-ana', label: "Ana's laptop" },
    { apiName: 'client-key-of-ci', label: 'CI runners' },
  ]
  return `${JSON.stringify({ clients }, null, 2)}\n`
}

/** A file that an operator deploys. */
export interface Artifact {
  /** Name of the artifact for `init`. */
  readonly id: string
  readonly file: string
  readonly what: string
  readonly mode: number
  readonly text: (installation: Installation) => string
  /** Reason this installation cannot have the artifact, in one line; null if it can. */
  readonly refusal: (installation: Installation) => string | null
}

const OWNER_ONLY = 0o600
const READABLE = 0o644

function artifact<const Id extends string>(
  id: Id,
  file: string,
  what: string,
  text: Artifact['text'],
  refusal: Artifact['refusal'] = () => null,
) {
  return { id, file, what, mode: READABLE, text, refusal }
}

/** Every artifact. A new one is one entry here. */
const table = [
  { ...artifact('config', 'config.toml', 'every key explained', configToml), mode: OWNER_ONLY },
  artifact('systemd', 'svc-quota-monitor.service', 'hardened unit', systemdUnit, unitRefusal),
  artifact(
    'systemd-user',
    'svc-quota-monitor.user.service',
    'unit of a user, without root',
    userUnit,
    userServiceRefusal,
  ),
  artifact(
    'launchd',
    'svc-quota-monitor.plist',
    'agent of a user on a Mac',
    launchAgent,
    userServiceRefusal,
  ),
  artifact(
    'backup-service',
    'svc-quota-monitor-backup.service',
    'one backup of the history',
    backupService,
    unitRefusal,
  ),
  artifact('backup-timer', 'svc-quota-monitor-backup.timer', 'a backup every night', backupTimer),
  artifact('dockerfile', 'Dockerfile', 'image of Debian with Node and the program', dockerfile),
  artifact('compose', 'compose.yaml', 'container, not root and read-only', compose, addressRefusal),
  artifact(
    'postgres',
    'postgres.sql',
    'role and schema of a history in PostgreSQL',
    postgresSql,
    postgresRefusal,
  ),
  artifact(
    'postgres-hba',
    'pg_hba.conf',
    'who that role may log in from',
    postgresHba,
    postgresRefusal,
  ),
  artifact(
    'postgres-compose',
    'compose.postgres.yaml',
    'PostgreSQL beside the container',
    postgresCompose,
  ),
  artifact('nginx', 'nginx.conf', 'reverse proxy with TLS and a login', nginxConf),
  artifact('caddy', 'Caddyfile', 'the same for Caddy', caddyfile),
  artifact('prometheus', 'prometheus.yml', 'scrape configuration', prometheusConfig),
  artifact('rules', 'quota-rules.yml', 'recording rules and alerts about quota', quotaRules),
  artifact(
    'rules-test',
    'quota-rules.test.yml',
    'tests of these rules for promtool',
    quotaRulesTest,
  ),
  artifact('alertmanager', 'alertmanager.yml', 'where alerts go', alertmanager),
  artifact('grafana', 'grafana-dashboard.json', 'dashboard to import', grafanaDashboard),
  artifact('proxy-plugin', 'proxy-plugin.yaml', 'lets the proxy route by the ranking', proxyPlugin),
  artifact('widgets', 'widgets.md', 'bars and start pages', widgets),
  artifact('readme', 'README.md', 'what goes where, in which order', readme),
  {
    ...artifact('client-labels', 'client-labels.json', 'names for client keys', clientLabels),
    mode: OWNER_ONLY,
  },
  artifact('prices', 'prices.toml', 'own prices, and how to fetch a list of prices', pricesToml),
] satisfies readonly Artifact[]

export type ArtifactId = (typeof table)[number]['id']

/** Everything `init` can write, in display order. */
export const artifacts: readonly (Artifact & { readonly id: ArtifactId })[] = table
