import { dirname, sep } from 'node:path'
import { type Installation, isGiven, storeDatabase } from '../installation/installation.ts'
import {
  shellWord,
  unitCommand,
  unitLine,
  unitPathRefusal,
  unitWord,
} from '../installation/quoting.ts'

const KEY_FILE = '/etc/svc-quota-monitor/management-key'
/** The folder that systemd makes for the service. */
export const STATE_FOLDER = '/var/lib/svc-quota-monitor'
export const USUAL_STORE = `${STATE_FOLDER}/history.db`
/** Below it a port belongs to root. */
const FREE_PORT_MIN = 1024

/** The words that start the program. */
export function programStart({ nodePath, programPath }: Installation): readonly string[] {
  return [nodePath, '--disable-proto=delete', programPath]
}

/** Why no unit can be made: the program is where systemd cannot start it, or a path cannot be written into a unit. Null where one can. */
export function unitRefusal(installation: Installation): string | null {
  const { nodePath, programPath, configPath, config } = installation
  const paths = [
    nodePath,
    programPath,
    configPath,
    config.upstream.managementKeyFile,
    config.usage.clientLabelsFile,
    config.history.stateDb,
    config.history.stateDbPasswordFile,
    config.quota.authDir,
    config.benchmark.benchmarkSummary,
  ]
  for (const path of paths) {
    const refusal = path === null ? null : unitPathRefusal(path)
    if (refusal !== null)
      return `${JSON.stringify(path)} ${refusal}, which systemd does not take: rename it`
  }
  if (/["'\\]/.test(nodePath))
    return `${JSON.stringify(nodePath)} has a quote or a backslash in its name, and systemd starts no such program: rename it`
  return homeRefusal(installation)
}

/** A service user cannot enter a home directory, and ProtectHome keeps it out besides. */
function homeRefusal({ nodePath, programPath, homeDir }: Installation): string | null {
  const homes = ['/home', '/root', '/run/user', homeDir].filter((home) => home !== '/')
  const inHome = [nodePath, programPath].find((path) =>
    homes.some((home) => path.startsWith(home + sep)),
  )
  if (inHome === undefined) return null
  return `${inHome} is in a home directory, where a system service cannot start it: install Node and this program for the whole machine (npm install --global --prefix /usr/local), then run init from there`
}

/** A user that exists while the service runs, or, where the store is elsewhere, one that can own its folder. */
export function serviceUser(installation: Installation): string {
  const folder = ownStoreFolder(installation)
  return folder === null
    ? 'User=svc-quota-monitor\nDynamicUser=yes\n'
    : `User=svc-quota-monitor\nReadWritePaths=${unitWord(folder)}\n`
}

/** Folder of a store that is not in the folder of the service; null for the usual place, and where there is none. */
function ownStoreFolder(installation: Installation): string | null {
  const { stateDb } = installation.config.history
  if (storeDatabase(installation) !== null) return null
  return stateDb === null || stateDb.startsWith(STATE_FOLDER + sep) ? null : dirname(stateDb)
}

/** A unit that may do what the service needs and nothing else. See docs/security.md. */
export function systemdUnit(installation: Installation): string {
  const { configPath, config } = installation
  const keyFile = config.upstream.managementKeyFile ?? KEY_FILE
  const labels =
    config.usage.clientLabelsFile === null
      ? []
      : [`LoadCredential=client-labels:${unitLine(config.usage.clientLabelsFile)}`]
  const folder = ownStoreFolder(installation)
  return `# Install as /etc/systemd/system/svc-quota-monitor.service, then:
#   systemctl daemon-reload && systemctl enable --now svc-quota-monitor
# The key file may belong to root alone: systemd copies it, and the configuration, for the service when it starts.
# So a new key, or another change of these files, needs  systemctl restart svc-quota-monitor
${folder === null ? '' : userNote(folder)}${config.quota.authDir === null ? '' : authNote(config.quota.authDir)}
[Unit]
Description=Quota and pool monitor for CLIProxyAPI
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=${unitCommand(programStart(installation))} --config %d/config.toml
LoadCredential=config.toml:${unitLine(configPath)}
LoadCredential=management-key:${unitLine(keyFile)}
${[...labels, ...passwordCredential(installation), ...environmentOf(installation)].join('\n')}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=5
TimeoutStopSec=15

${serviceUser(installation)}StateDirectory=svc-quota-monitor
StateDirectoryMode=0700
UMask=0077

NoNewPrivileges=yes
${config.server.port < FREE_PORT_MIN ? PORT_OF_ROOT : NO_CAPABILITIES}ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
${config.server.port < FREE_PORT_MIN ? '' : 'PrivateUsers=yes\n'}ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProcSubset=pid
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# The compiler of Node writes code while it runs.
MemoryDenyWriteExecute=no
# No copy of the memory, which holds the key, is left after a crash.
LimitCORE=0
LimitNOFILE=8192

[Install]
WantedBy=multi-user.target
`
}

/** The line that hands on the password of the database, where a file holds one. */
export function passwordCredential({ config }: Installation): readonly string[] {
  const { stateDbPasswordFile: file } = config.history
  return file === null ? [] : [`LoadCredential=state-db-password:${unitLine(file)}`]
}

/** The configuration is read from another folder than its own, so every path in it is given as a whole. */
function environmentOf(installation: Installation): readonly string[] {
  const { config } = installation
  const set = (name: string, path: string | null) =>
    path === null ? [] : [`Environment=${unitWord(`SVC_QUOTA_MONITOR_${name}=${path}`)}`]
  return [
    'Environment=SVC_QUOTA_MONITOR_MANAGEMENT_KEY_FILE=%d/management-key',
    ...(config.usage.clientLabelsFile === null
      ? []
      : ['Environment=SVC_QUOTA_MONITOR_CLIENT_LABELS_FILE=%d/client-labels']),
    ...(config.history.stateDbPasswordFile === null
      ? []
      : ['Environment=SVC_QUOTA_MONITOR_STATE_DB_PASSWORD_FILE=%d/state-db-password']),
    ...set('STATE_DB', isGiven(installation, 'state_db') ? config.history.stateDb : USUAL_STORE),
    ...set('AUTH_DIR', config.quota.authDir),
    ...set('BENCHMARK_SUMMARY', config.benchmark.benchmarkSummary),
  ]
}

const NO_CAPABILITIES = 'CapabilityBoundingSet=\nAmbientCapabilities=\n'
/** PrivateUsers would take the capability away again. */
const PORT_OF_ROOT = `# A port below ${FREE_PORT_MIN}.\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n`

function userNote(folder: string): string {
  return `# The store is in a folder of your own, so the service runs as a user that owns it:
#   useradd --system --no-create-home --shell /usr/sbin/nologin svc-quota-monitor && chown -R svc-quota-monitor ${shellWord(folder)}
`
}

function authNote(authDir: string): string {
  return `# auth_dir: let the group of ${authDir} read it, and add that group below as SupplementaryGroups=
`
}
