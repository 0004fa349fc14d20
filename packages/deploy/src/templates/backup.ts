import {
  type Installation,
  shellWord,
  storeDatabase,
  storePath,
  unitCommand,
  unitLine,
  unitWord,
} from '../installation/installation.ts'
import {
  passwordCredential,
  programStart,
  STATE_FOLDER,
  serviceUser,
  USUAL_STORE,
} from './systemd-unit.ts'

const FOLDER = `${STATE_FOLDER}/backups`
/** Number of backups kept; older ones are deleted once a new one is complete. */
const BACKUPS_KEPT = 14

/** Service that makes one backup and then keeps only the newest ones. */
export function backupService(installation: Installation): string {
  const store = storePath(installation, USUAL_STORE) ?? USUAL_STORE
  const isDatabase = storeDatabase(installation) !== null
  // The environment gives the address of a database, along with its password file.
  const from = isDatabase ? ['--config', 'off'] : ['--state-db', store]
  const exportOf = [...programStart(installation), 'export-history', ...from]
    .map(shellWord)
    .join(' ')
  const shell = (script: string) => unitCommand(['/bin/sh', '-c', script])
  return `# Install as /etc/systemd/system/svc-quota-monitor-backup.service, with the timer beside it.
# A backup at once:  systemctl start svc-quota-monitor-backup
# The backups are in ${FOLDER}; they hold client keys. Copy them to another machine.

[Unit]
Description=Backup of the history of svc-quota-monitor
${isDatabase ? 'After=network-online.target\nWants=network-online.target\n' : `ConditionPathExists=${unitLine(store)}\n`}
[Service]
Type=oneshot
${databaseLines(installation)}ExecStart=${shell(`exec ${exportOf} --output ${FOLDER}/history-$(date -u +%Y%m%dT%H%M%SZ).json`)}
ExecStart=${shell(`ls -1r ${FOLDER}/history-*.json | tail -n +${BACKUPS_KEPT + 1} | xargs -r rm --`)}

${serviceUser(installation)}StateDirectory=svc-quota-monitor svc-quota-monitor/backups
StateDirectoryMode=0700
UMask=0077
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
${isDatabase ? '' : 'PrivateNetwork=yes\n'}ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
RestrictAddressFamilies=${isDatabase ? 'AF_INET AF_INET6 ' : ''}AF_UNIX
RestrictNamespaces=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
LimitCORE=0
`
}

function databaseLines(installation: Installation): string {
  const database = storeDatabase(installation)
  if (database === null) return ''
  const credential = passwordCredential(installation)
  const file =
    credential.length === 0
      ? []
      : ['Environment=SVC_QUOTA_MONITOR_STATE_DB_PASSWORD_FILE=%d/state-db-password']
  const address = `Environment=${unitWord(`SVC_QUOTA_MONITOR_STATE_DB=${database.address}`)}`
  return [...credential, ...file, address].map((line) => `${line}\n`).join('')
}

export function backupTimer(): string {
  return `# Install as /etc/systemd/system/svc-quota-monitor-backup.timer, then:
#   systemctl daemon-reload && systemctl enable --now svc-quota-monitor-backup.timer

[Unit]
Description=A backup of the history of svc-quota-monitor every night

[Timer]
OnCalendar=*-*-* 03:30:00
RandomizedDelaySec=30min
Persistent=yes

[Install]
WantedBy=timers.target
`
}
