import type { Installation } from '../installation/installation.ts'

export function prometheusConfig({ address }: Installation): string {
  return `# prometheus.yml: scrapes the monitor, evaluates the rules beside this file, and sends alerts to Alertmanager.

global:
  scrape_interval: 15s
  evaluation_interval: 15s

rule_files:
  - quota-rules.yml

alerting:
  alertmanagers:
    - static_configs:
        - targets: ["127.0.0.1:9093"]

scrape_configs:
  - job_name: svc-quota-monitor
    static_configs:
      - targets: ["${address}"]
`
}
