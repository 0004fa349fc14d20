/** Routes alerts by severity; the operator fills in the receivers. */
export function alertmanager(): string {
  return `# alertmanager.yml: what must be acted on now wakes somebody, the rest is sent once a day.
# Set the two addresses at the end, or put e-mail or chat receivers there, before you use it.

route:
  receiver: tell
  group_by: [alertname, window]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 24h
  routes:
    - matchers: ['severity="critical"']
      receiver: wake
      repeat_interval: 1h

# One alert is enough: while no account can be used, low quota adds nothing.
inhibit_rules:
  - source_matchers: ['alertname="QuotaNothingRoutable"']
    target_matchers: ['alertname=~"QuotaCapacityLow|QuotaRunsDryBeforeRecovery"']
    equal: [instance]
  # The action that is bad has an alert of its own.
  - source_matchers: ['alertname=~"QuotaGatewayDown|QuotaKeyRefused|QuotaHistoryFailing|QuotaNothingRoutable|QuotaAuthInvalid"']
    target_matchers: ['alertname="QuotaNeedsYou"']
    equal: [instance]

receivers:
  - name: wake
    webhook_configs:
      - url: http://127.0.0.1:9095/wake
  - name: tell
    webhook_configs:
      - url: http://127.0.0.1:9095/tell
`
}
