import type { Installation } from '../installation.ts'

const KEY_FILE = '/etc/svc-quota-monitor/management-key'

/** A unit that may do what the service needs and nothing else. Source: guard 1.7. */
export function systemdUnit({ nodePath, programPath, configPath, config }: Installation): string {
  const keyFile = config.managementKeyFile ?? KEY_FILE
  const labels =
    config.clientLabelsFile === null
      ? ''
      : `LoadCredential=client-labels:${config.clientLabelsFile}\nEnvironment=SVC_QUOTA_MONITOR_CLIENT_LABELS_FILE=%d/client-labels\n`
  return `# Install as /etc/systemd/system/svc-quota-monitor.service, then:
#   systemctl daemon-reload && systemctl enable --now svc-quota-monitor
# The key file may belong to root alone; systemd hands it over.

[Unit]
Description=Quota and pool monitor for CLIProxyAPI
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=${nodePath} --disable-proto=delete ${programPath} --config %d/config.toml
LoadCredential=config.toml:${configPath}
LoadCredential=management-key:${keyFile}
Environment=SVC_QUOTA_MONITOR_MANAGEMENT_KEY_FILE=%d/management-key
${labels}Environment=SVC_QUOTA_MONITOR_STATE_DB=/var/lib/svc-quota-monitor/history.db
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=5
TimeoutStopSec=15

# A user that exists while the service runs, and one folder of its own.
DynamicUser=yes
StateDirectory=svc-quota-monitor
StateDirectoryMode=0700
UMask=0077

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
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
