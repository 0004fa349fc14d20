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
  readonly refusal?: (installation: Installation) => string | null
}

const OWNER_ONLY = 0o600
const READABLE = 0o644

/** Every artifact. A new one is one entry here. */
const table = [
  {
    id: 'config',
    file: 'config.toml',
    what: 'every key explained',
    mode: OWNER_ONLY,
    text: configToml,
  },
  {
    id: 'systemd',
    file: 'svc-quota-monitor.service',
    what: 'hardened unit',
    mode: READABLE,
    text: systemdUnit,
    refusal: unitRefusal,
  },
  {
    id: 'systemd-user',
    file: 'svc-quota-monitor.user.service',
    what: 'unit of a user, without root',
    mode: READABLE,
    text: userUnit,
    refusal: userServiceRefusal,
  },
  {
    id: 'launchd',
    file: 'svc-quota-monitor.plist',
    what: 'agent of a user on a Mac',
    mode: READABLE,
    text: launchAgent,
    refusal: userServiceRefusal,
  },
  {
    id: 'backup-service',
    file: 'svc-quota-monitor-backup.service',
    what: 'one backup of the history',
    mode: READABLE,
    text: backupService,
    refusal: unitRefusal,
  },
  {
    id: 'backup-timer',
    file: 'svc-quota-monitor-backup.timer',
    what: 'a backup every night',
    mode: READABLE,
    text: backupTimer,
  },
  {
    id: 'dockerfile',
    file: 'Dockerfile',
    what: 'image of Debian with Node and the program',
    mode: READABLE,
    text: dockerfile,
  },
  {
    id: 'compose',
    file: 'compose.yaml',
    what: 'container, not root and read-only',
    mode: READABLE,
    text: compose,
    refusal: addressRefusal,
  },
  {
    id: 'postgres',
    file: 'postgres.sql',
    what: 'role and schema of a history in PostgreSQL',
    mode: READABLE,
    text: postgresSql,
    refusal: postgresRefusal,
  },
  {
    id: 'postgres-hba',
    file: 'pg_hba.conf',
    what: 'who that role may log in from',
    mode: READABLE,
    text: postgresHba,
    refusal: postgresRefusal,
  },
  {
    id: 'postgres-compose',
    file: 'compose.postgres.yaml',
    what: 'PostgreSQL beside the container',
    mode: READABLE,
    text: postgresCompose,
  },
  {
    id: 'nginx',
    file: 'nginx.conf',
    what: 'reverse proxy with TLS and a login',
    mode: READABLE,
    text: nginxConf,
  },
  { id: 'caddy', file: 'Caddyfile', what: 'the same for Caddy', mode: READABLE, text: caddyfile },
  {
    id: 'prometheus',
    file: 'prometheus.yml',
    what: 'scrape configuration',
    mode: READABLE,
    text: prometheusConfig,
  },
  {
    id: 'rules',
    file: 'quota-rules.yml',
    what: 'recording rules and alerts about quota',
    mode: READABLE,
    text: quotaRules,
  },
  {
    id: 'rules-test',
    file: 'quota-rules.test.yml',
    what: 'tests of these rules for promtool',
    mode: READABLE,
    text: quotaRulesTest,
  },
  {
    id: 'alertmanager',
    file: 'alertmanager.yml',
    what: 'where alerts go',
    mode: READABLE,
    text: alertmanager,
  },
  {
    id: 'grafana',
    file: 'grafana-dashboard.json',
    what: 'dashboard to import',
    mode: READABLE,
    text: grafanaDashboard,
  },
  {
    id: 'proxy-plugin',
    file: 'proxy-plugin.yaml',
    what: 'lets the proxy route by the ranking',
    mode: READABLE,
    text: proxyPlugin,
  },
  {
    id: 'widgets',
    file: 'widgets.md',
    what: 'bars and start pages',
    mode: READABLE,
    text: widgets,
  },
  {
    id: 'readme',
    file: 'README.md',
    what: 'what goes where, in which order',
    mode: READABLE,
    text: readme,
  },
  {
    id: 'client-labels',
    file: 'client-labels.json',
    what: 'names for client keys',
    mode: OWNER_ONLY,
    text: clientLabels,
  },
  {
    id: 'prices',
    file: 'prices.toml',
    what: 'own prices, and how to fetch a list of prices',
    mode: READABLE,
    text: pricesToml,
  },
] as const satisfies readonly Artifact[]

export type ArtifactId = (typeof table)[number]['id']

/** Everything `init` can write, in display order. */
export const artifacts: readonly (Artifact & { readonly id: ArtifactId })[] = table
