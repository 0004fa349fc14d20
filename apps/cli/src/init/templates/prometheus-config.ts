import type { Installation } from '../installation.ts'

export function prometheusConfig({ address }: Installation): string {
  return `# prometheus.yml: scrapes the monitor and evaluates the rules beside this file.

global:
  scrape_interval: 15s
  evaluation_interval: 15s

rule_files:
  - quota-rules.yml

scrape_configs:
  - job_name: svc-quota-monitor
    static_configs:
      - targets: ["${address}"]
`
}
