import { type Installation, shellWord } from '../installation/installation.ts'
import { programStart } from './systemd-unit.ts'

/** All widgets in one document, each under its own heading. */
export function widgets(installation: Installation): string {
  const page = `http://${installation.address}`
  const program = programStart(installation, []).map(shellWord).join(' ')
  // With the paths of this program, because a bar has another PATH than a shell.
  const command = (format: string) =>
    `${program} line --format ${format} --url ${shellWord(page)} || true`
  const json = (value: object) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
  return `# The pool at a glance

Each bar runs a command that asks the service at ${page}; from another machine, replace that by its address there and list the
name in \`allowed_hosts\`. \`|| true\` stays: a bar hides a command that ends with an error, and would be empty just when the service
is away. Nothing here shows an e-mail address.

## Waybar

In \`~/.config/waybar/config.jsonc\`, and \`"custom/quota"\` in one of its lists of modules:

${json({ 'custom/quota': { exec: command('waybar'), 'return-type': 'json', interval: 30 } })}

In \`~/.config/waybar/style.css\`:

\`\`\`css
#custom-quota.good { color: #2da44e; }
#custom-quota.warn { color: #d29922; }
#custom-quota.bad { color: #f85149; }
#custom-quota.unknown { color: #8b949e; }
\`\`\`

## xbar and SwiftBar

As \`quota.30s.sh\` in the folder of plugins, with mode 755:

\`\`\`sh
#!/bin/sh
${command('xbar')}
\`\`\`

## tmux

In \`~/.tmux.conf\`:

\`\`\`tmux
set -g status-interval 30
set -g status-right-length 100
set -ag status-right " #(${tmuxText(command('tmux'))})"
\`\`\`

## Claude Code

In \`~/.claude/settings.json\`:

${json({ statusLine: { type: 'command', command: command('claude') } })}

## Home Assistant

In \`configuration.yaml\`:

\`\`\`yaml
rest:
  - resource: ${page}/api/v1/health
    scan_interval: 60
    sensor:
      - { unique_id: svc_quota_answer, name: Quota answer, value_template: "{{ value_json.answer.code }}" }
      - { unique_id: svc_quota_5h, name: Quota 5h, value_template: "{{ value_json.capacity.fiveHour.usableUnits }}", unit_of_measurement: units }
      - { unique_id: svc_quota_week, name: Quota week, value_template: "{{ value_json.capacity.week.usableUnits }}", unit_of_measurement: units }
      - { unique_id: svc_quota_actions, name: Quota actions, value_template: "{{ value_json.actionCount }}", unit_of_measurement: actions }
\`\`\`

## Homepage

In \`services.yaml\`:

\`\`\`yaml
- Quota:
    - Quota monitor:
        href: ${page}
        widget:
          type: customapi
          url: ${page}/api/v1/health
          refreshInterval: 30000
          mappings:
            - { label: Big job now, field: { answer: code } }
            - { label: 5h, field: { capacity: { fiveHour: usableUnits } }, format: number, suffix: units }
            - { label: Week, field: { capacity: { week: usableUnits } }, format: number, suffix: units }
            - { label: Actions, field: actionCount, format: number }
\`\`\`

## Glance

In a column of \`glance.yml\`:

\`\`\`yaml
- type: custom-api
  title: Quota
  url: ${page}/api/v1/health
  cache: 1m
  template: |
    <p class="size-h3">{{ .JSON.String "answer.code" }}</p>
    <p>5h {{ printf "%.1f" (.JSON.Float "capacity.fiveHour.usableUnits") }} units</p>
    <p>week {{ printf "%.1f" (.JSON.Float "capacity.week.usableUnits") }} units</p>
    <p>{{ .JSON.Int "actionCount" }} actions</p>
\`\`\`
`
}

/** Escapes text for a double-quoted tmux option, which is expanded as a format and by strftime. */
function tmuxText(text: string): string {
  return text
    .replaceAll(/["\\$]/g, '\\$&')
    .replaceAll('#', '##')
    .replaceAll('%', '%%')
}
