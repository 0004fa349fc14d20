import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { notifyKinds } from '@svc/core/notify'
import { afterAll, describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { machineTool } from '../testing/machine-tool.ts'
import { alertmanager, prometheusConfig } from './alertmanager.ts'
import { quotaRules } from './quota-rules.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-alertmanager-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const plain = alertmanager(anInstallation())
writeFileSync(join(folder, 'alertmanager.yml'), plain)

const target = (kind: string, more = '') =>
  `[[notify]]\nname = "my-${kind}"\nkind = "${kind}"\nurl_file = "notify-${kind}"\n${more}\n`
const receiversOf = (toml: string) =>
  alertmanager(anInstallation({ toml })).replace(/^[\s\S]*\nreceivers:\n/, '')
const EVERY_KIND = notifyKinds.map((kind) => target(kind)).join('')

describe('the configuration of Alertmanager', () => {
  it('is taken by it', (context) => {
    expect(
      machineTool(context, 'amtool', ['check-config', 'alertmanager.yml'], folder).output,
    ).toContain('SUCCESS')
  })

  it.for([
    { severity: 'critical', receiver: 'wake' },
    { severity: 'warning', receiver: 'tell' },
  ])('sends what is $severity to $receiver', ({ severity, receiver }, context) => {
    const route = ['config', 'routes', 'test', '--config.file=alertmanager.yml']

    expect(
      machineTool(context, 'amtool', [...route, `severity=${severity}`], folder).output,
    ).toMatch(new RegExp(`^${receiver}$`, 'm'))
  })

  it('holds back only alerts that exist, and only for alerts that exist', () => {
    const named = [...plain.matchAll(/alertname=~?"([\w|]+)"/g)].flatMap(([, names = '']) =>
      names.split('|'),
    )

    expect(named).toContain('QuotaNothingRoutable')
    for (const name of named) expect(quotaRules()).toContain(`- alert: ${name}\n`)
  })

  it('has a receiver for every severity that alerts have', () => {
    const severities = new Set(
      [...quotaRules().matchAll(/severity: (\w+)/g)].map(([, severity]) => severity),
    )

    expect([...severities].sort()).toEqual(['critical', 'warning'])
  })
})

describe('the receivers of Alertmanager', () => {
  it('are those of the tables: mild ones warn as well, and those told of recoveries are told of ends', () => {
    expect(
      receiversOf(
        `${target('webhook', 'min_tone = "warn"')}${target('slack', 'on = ["action"]')}${target('discord')}`,
      ),
    ).toBe(`  - name: wake
    webhook_configs:
      # my-webhook
      - url_file: "/etc/x/notify-webhook"
        send_resolved: true
    slack_configs:
      # my-slack
      - api_url_file: "/etc/x/notify-slack"
        send_resolved: false
    discord_configs:
      # my-discord
      - webhook_url_file: "/etc/x/notify-discord"
        send_resolved: true
  - name: tell
    webhook_configs:
      # my-webhook
      - url_file: "/etc/x/notify-webhook"
        send_resolved: true
`)
  })

  it('that it does not know go through a bridge, and say so', () => {
    const text = receiversOf(EVERY_KIND)

    for (const kind of ['ntfy', 'feishu', 'bark'])
      expect(text).toMatch(
        new RegExp(
          `# my-${kind}\\. CHANGE: .*bridge.*\\n {6}- url: http://127\\.0\\.0\\.1:9096/my-${kind}\\n`,
        ),
      )
    expect(text).toContain('# my-telegram. CHANGE: chat_id;')
  })

  it('are taken by it, and so are the examples where there is no table', (context) => {
    const examples = plain.replace(/^ {2}- name: tell\n[^#]*#.*\n/m, '  - name: tell\n')
    for (const text of [
      alertmanager(anInstallation({ toml: EVERY_KIND })),
      alertmanager(
        anInstallation({ toml: EVERY_KIND.replaceAll('url_file', 'min_tone = "warn"\nurl_file') }),
      ),
      examples.replaceAll(/^#( {4})/gm, '$1'),
    ]) {
      // Versions before 0.27 have not each of the keys that name a file.
      const inOld = text
        .replaceAll(/url_file: .*/g, 'url: https://receiver.example/')
        .replaceAll(/bot_token_file: .*/g, 'bot_token: 1:a')
      writeFileSync(join(folder, 'receivers.yml'), inOld)

      expect(text).toContain('telegram_configs:')
      expect(
        machineTool(context, 'amtool', ['check-config', 'receivers.yml'], folder).output,
      ).toContain('SUCCESS')
    }
  })
})

describe('the scrape configuration', () => {
  it.each([
    { flags: {}, target: '127.0.0.1:4515' },
    { flags: { port: '8080' }, target: '127.0.0.1:8080' },
    { flags: { host: '0.0.0.0' }, target: '127.0.0.1:4515' },
    { flags: { host: '::1' }, target: '[::1]:4515' },
  ])('of a service with $flags asks $target', ({ flags, target }) => {
    expect(prometheusConfig(anInstallation({ flags }))).toContain(`- targets: ["${target}"]`)
  })

  it('names the job as the alert for a monitor that is down does', () => {
    expect(prometheusConfig(anInstallation())).toContain('job_name: svc-quota-monitor\n')
  })
})
