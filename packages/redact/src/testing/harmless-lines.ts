import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const top = fileURLToPath(new URL('../../../../', import.meta.url))

/** Lines of this repository that hold no secret: documents, code, styles. */
export function linesOfRepository(): readonly string[] {
  const folders = [
    'docs',
    'packages/core/src',
    'packages/views/src',
    'packages/config/src',
    'apps/dashboard/src',
    'apps/server/src',
    'packages/monitor/src',
  ]
  return folders
    .flatMap((folder) => filesIn(join(top, folder)))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return name === 'golden' ? [] : filesIn(path)
    return /\.(?:md|ts|tsx|css)$/.test(name) && !name.endsWith('.test.ts') ? [path] : []
  })
}

const two = (index: number) => String(index % 60).padStart(2, '0')

/** Lines as logs, shells and tools write them. */
const SHAPES: readonly ((index: number) => string)[] = [
  (index) =>
    `2026-11-21T17:31:${two(index)}.124Z info  snapshot source=live health=good accounts=${index} routable=14 failing=""`,
  (index) => `GET /api/v1/stats/series?range=24h&group=account&top=${index % 20} 200 ${index} ms`,
  (index) =>
    `    at Object.openHistory (/usr/lib/node_modules/svc-quota-monitor/dist/chunk-DYPSGFH${index % 9}.js:120:14)`,
  (index) =>
    `{"requests":${index},"tokens":${index * 1000},"failed":0,"t":"2026-11-21T17:30:00+00:00"}`,
  () => 'The password is required, and the token is missing: see docs/security.md.',
  () =>
    'listening url=http://127.0.0.1:4515 version=0.1.0 zone=Europe/Prague upstream=http://localhost:8317',
  (index) => `| account | 5h | week |\n| ${index} | 41 % | 60 % |`,
  () => 'import { createWording, type StatusContext } from "@svc/views"',
  () => 'a-rather-long-name-of-a-css-class-that-goes-on-and-on sk-spinner-circle task-force-one',
  () => 'Kernel 6.1.0-28-amd64, glibc 2.36, SQLite 3.53.2, node v20.20.2, build 20261121',
  (index) => `commit ${index.toString(16).padStart(8, '3').repeat(5)}`,
  (index) =>
    `svc_quota_monitor_http_request_duration_seconds_bucket{le="0.05",route="/api/v1/status"} ${index}`,
  (index) =>
    `Nov 21 17:31:${two(index)} host systemd[1]: Started svc-quota-monitor.service - Quota monitor.`,
  (index) =>
    `::1 - - [21/Nov/2026:17:31:${two(index)} +0000] "GET /metrics HTTP/1.1" 200 ${index} "-" "Prometheus/2.42.0"`,
  (index) => `-rw-r--r-- 1 root root ${index} Nov 21 17:31 /etc/svc-quota-monitor/config.toml`,
  (index) =>
    `accountKey=4d7444d22bc687d2 authIndex=c0ffee09a1c2d3e4 client-9f2c41ab extra:bengalfox:week ${index}`,
  (index) =>
    `max_tokens: ${index}, total_tokens: ${index * 3}, token_type: bearer, expires_in: 3600`,
]

export function linesOfTools(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => SHAPES[index % SHAPES.length]?.(index) ?? '')
}
