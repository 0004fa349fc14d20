import { type Installation, unitCommand, unitPathRefusal } from '../installation/installation.ts'
import { programStart } from './systemd-unit.ts'

/** Command that starts the service as the user who owns its files. */
function ownStart(installation: Installation): readonly string[] {
  return [...programStart(installation), '--config', installation.configPath]
}

/** Reason no service of a user can be made; null if it can. */
export function userServiceRefusal({
  nodePath,
  programPath,
  configPath,
}: Installation): string | null {
  for (const path of [nodePath, programPath, configPath]) {
    const refusal = unitPathRefusal(path)
    if (refusal !== null) return `${JSON.stringify(path)} ${refusal}: rename it`
  }
  if (/["'\\]/.test(nodePath))
    return `${JSON.stringify(nodePath)} has a quote or a backslash in its name, and systemd starts no such program: rename it`
  return /[\\/]_npx[\\/]/.test(programPath)
    ? `${programPath} was fetched by npx and may be gone tomorrow: npm install --global the package first`
    : null
}

/** Systemd unit for the user's own manager, which needs no root. */
export function userUnit(installation: Installation): string {
  return `# Install as ~/.config/systemd/user/svc-quota-monitor.service, then:
#   systemctl --user daemon-reload && systemctl --user enable --now svc-quota-monitor
# It ends when you log out, unless you run  loginctl enable-linger  once.

[Unit]
Description=Quota and pool monitor for CLIProxyAPI

[Service]
ExecStart=${unitCommand(ownStart(installation))}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=5
TimeoutStopSec=15
UMask=0077
NoNewPrivileges=yes
# No copy of the memory, which holds the key, is left after a crash.
LimitCORE=0
LimitNOFILE=8192

[Install]
WantedBy=default.target
`
}

/** Agent of launchd, for the user who logs in on a Mac. */
export function launchAgent(installation: Installation): string {
  const words = ownStart(installation).map((word) => `    <string>${xmlText(word)}</string>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Install as ~/Library/LaunchAgents/svc-quota-monitor.plist, then: launchctl load -w <that file> -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>svc-quota-monitor</string>
  <key>ProgramArguments</key>
  <array>
${words.join('')}  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
`
}

function xmlText(text: string): string {
  return text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
