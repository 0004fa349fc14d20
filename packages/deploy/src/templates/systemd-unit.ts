import { dirname, sep } from 'node:path'
import {
  addressRefusal,
  type HandedFile,
  handedAddresses,
  handedProxies,
  type Installation,
  isGiven,
  shellWord,
  storeDatabase,
  unitCommand,
  unitLine,
  unitPathRefusal,
  unitWord,
} from '../installation/installation.ts'

const KEY_FILE = '/etc/svc-quota-monitor/management-key'
/** The folder that systemd creates for the service. */
export const STATE_FOLDER = '/var/lib/svc-quota-monitor'
export const USUAL_STORE = `${STATE_FOLDER}/history.db`
/** Lowest port that needs no root privilege. */
const FREE_PORT_MIN = 1024

/** Words that start the program. The executable has the flags of Node in it. */
export function programStart(
  { nodePath, programPath }: Installation,
  nodeFlags: readonly string[] = ['--disable-proto=delete'],
): readonly string[] {
  return isExecutable({ nodePath, programPath })
    ? [programPath]
    : [nodePath, ...nodeFlags, programPath]
}

/** Whether the program is the single executable, which is its own Node. */
const isExecutable = ({ nodePath, programPath }: Pick<Installation, 'nodePath' | 'programPath'>) =>
  nodePath === programPath

/** Reason no unit can be written: systemd cannot start the program, or a unit cannot contain one of the paths. Null if a unit can be written. */
export function unitRefusal(installation: Installation): string | null {
  const { nodePath, programPath, configPath, config } = installation
  const { keys, tables, authDirs } = handedProxies(installation, KEY_FILE)
  const paths = [
    nodePath,
    programPath,
    configPath,
    ...keys.map(({ file }) => file),
    tables?.file ?? null,
    config.usage.clientLabelsFile,
    config.history.stateDb,
    config.history.stateDbPasswordFile,
    ...authDirs,
    config.benchmark.benchmarkSummary,
    config.history.priceFile,
    config.history.priceOverrides,
    ...config.notify.targets.map(({ urlFile }) => urlFile),
  ]
  for (const path of paths) {
    const refusal = path === null ? null : unitPathRefusal(path)
    if (refusal !== null)
      return `${JSON.stringify(path)} ${refusal}, which systemd does not take: rename it`
  }
  if (/["'\\]/.test(nodePath))
    return `${JSON.stringify(nodePath)} has a quote or a backslash in its name, and systemd starts no such program: rename it`
  return addressRefusal(installation) ?? homeRefusal(installation)
}

/** Reason to refuse a program in a home directory: a service user cannot enter it, and ProtectHome blocks it as well. Null elsewhere. */
function homeRefusal({ nodePath, programPath, homeDir }: Installation): string | null {
  const homes = ['/home', '/root', '/run/user', homeDir].filter((home) => home !== '/')
  const inHome = [nodePath, programPath].find((path) =>
    homes.some((home) => path.startsWith(home + sep)),
  )
  if (inHome === undefined) return null
  const remedy = isExecutable({ nodePath, programPath })
    ? 'install it for the whole machine (sh install.sh --prefix /usr/local)'
    : 'install Node and this program for the whole machine (npm install --global --prefix /usr/local)'
  return `${inHome} is in a home directory, where a system service cannot start it: ${remedy}, then run init from there`
}

/**
 * User settings of the unit: a user that exists only while the service runs or, for a store outside the usual folder, a permanent one that can own
 * that folder.
 */
export function serviceUser(installation: Installation): string {
  const folder = ownStoreFolder(installation)
  return folder === null
    ? 'User=svc-quota-monitor\nDynamicUser=yes\n'
    : `User=svc-quota-monitor\nReadWritePaths=${unitWord(folder)}\n`
}

/** Folder of a store outside the service's own folder; null for the usual place, and without a store file. */
function ownStoreFolder(installation: Installation): string | null {
  const { stateDb } = installation.config.history
  if (storeDatabase(installation) !== null) return null
  return stateDb === null || stateDb.startsWith(STATE_FOLDER + sep) ? null : dirname(stateDb)
}

/** Systemd unit that allows only what the service needs. See docs/security.md. */
export function systemdUnit(installation: Installation): string {
  const { configPath, config } = installation
  const { keys, tables, authDirs } = handedProxies(installation, KEY_FILE)
  const { clientLabelsFile: labels } = config.usage
  const credentials = [
    ...(tables === null ? [] : [tables]),
    ...keys,
    ...(labels === null ? [] : [{ name: 'client-labels', file: labels }]),
    ...handedAddresses(installation),
  ].map(credentialLine)
  const folder = ownStoreFolder(installation)
  return `# Install as /etc/systemd/system/svc-quota-monitor.service, then:
#   systemctl daemon-reload && systemctl enable --now svc-quota-monitor
# ${keys.length === 1 ? 'The key file may belong to root alone: systemd copies it' : 'The key files may belong to root alone: systemd copies them'}, and the configuration, for the service when it starts.
# So a new key, or another change of these files, needs  systemctl restart svc-quota-monitor
${folder === null ? '' : userNote(folder)}${authDirs.map(authNote).join('')}${authDirs.length > 0 && config.fleet.upstreams.length > 0 ? TABLE_NOTE : ''}${config.notify.targets.length > 0 ? ADDRESS_NOTE : ''}
[Unit]
Description=Quota and pool monitor for CLIProxyAPI
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=${unitCommand(programStart(installation))} --config %d/config.toml
LoadCredential=config.toml:${unitLine(configPath)}
${[...credentials, ...passwordCredential(installation), ...environmentOf(installation)].join('\n')}
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

function credentialLine({ name, file }: HandedFile): string {
  return `LoadCredential=${name}:${unitLine(file)}`
}

/** Unit line that passes on the database password; none if no file holds it. */
export function passwordCredential({ config }: Installation): readonly string[] {
  const { stateDbPasswordFile: file } = config.history
  return file === null ? [] : [credentialLine({ name: 'state-db-password', file })]
}

/** Variables with absolute paths, because the service reads the configuration from a folder other than the file's own. */
function environmentOf(installation: Installation): readonly string[] {
  const { config } = installation
  const { keyFile, tables } = handedProxies(installation, KEY_FILE)
  const set = (name: string, path: string | null) =>
    path === null ? [] : [`Environment=${unitWord(`SVC_QUOTA_MONITOR_${name}=${path}`)}`]
  return [
    `Environment=SVC_QUOTA_MONITOR_MANAGEMENT_KEY_FILE=%d/${keyFile}`,
    ...(tables === null ? [] : [`Environment=SVC_QUOTA_MONITOR_UPSTREAMS_FILE=%d/${tables.name}`]),
    ...(config.usage.clientLabelsFile === null
      ? []
      : ['Environment=SVC_QUOTA_MONITOR_CLIENT_LABELS_FILE=%d/client-labels']),
    ...(config.history.stateDbPasswordFile === null
      ? []
      : ['Environment=SVC_QUOTA_MONITOR_STATE_DB_PASSWORD_FILE=%d/state-db-password']),
    ...set('STATE_DB', isGiven(installation, 'state_db') ? config.history.stateDb : USUAL_STORE),
    ...set('AUTH_DIR', config.quota.authDir),
    ...set('BENCHMARK_SUMMARY', config.benchmark.benchmarkSummary),
    ...set('PRICE_FILE', config.history.priceFile),
    ...set('PRICE_OVERRIDES', config.history.priceOverrides),
  ]
}

const NO_CAPABILITIES = 'CapabilityBoundingSet=\nAmbientCapabilities=\n'
/** Capability lines for a low port. PrivateUsers is left out in this case, because it would take the capability away again. */
const PORT_OF_ROOT = `# A port below ${FREE_PORT_MIN}.\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n`

function userNote(folder: string): string {
  return `# The store is in a folder of your own, so the service runs as a user that owns it:
#   useradd --system --no-create-home --shell /usr/sbin/nologin svc-quota-monitor && chown -R svc-quota-monitor ${shellWord(folder)}
`
}

const TABLE_NOTE = `# In a table auth_dir stands as a whole path: the service reads a copy of the configuration from another folder.
`

const ADDRESS_NOTE = `# In a [[notify]] table url_file stands by its name alone: systemd puts the file beside the copy of the configuration.
`

function authNote(authDir: string): string {
  return `# auth_dir: let the group of ${authDir} read it, and add that group below as SupplementaryGroups=
`
}
