import type { Installation } from '../installation.ts'

/** Number of the user that distroless images call nonroot. */
const USER = 65532

/** Two stages: one with a compiler for the native module, one with neither compiler nor shell. */
export function dockerfile({ version }: Installation): string {
  return `# Put svc-quota-monitor-${version}.tgz (made by \`pnpm pack\`) beside this file, then:
#   docker build --tag svc-quota-monitor:${version} .

FROM node:22-bookworm AS build
WORKDIR /app
COPY svc-quota-monitor-${version}.tgz .
RUN npm install --omit=dev --no-audit --no-fund ./svc-quota-monitor-${version}.tgz && rm svc-quota-monitor-${version}.tgz && mkdir /state

FROM gcr.io/distroless/nodejs22-debian12:nonroot
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build --chown=${USER}:${USER} /state /state
USER ${USER}
VOLUME /state
EXPOSE 4515
ENTRYPOINT ["/nodejs/bin/node", "--disable-proto=delete", "/app/node_modules/svc-quota-monitor/dist/main.js"]
`
}

export function compose({ version, config, publicName }: Installation): string {
  return `# docker compose up --detach
# The key stands in ./management-key (chmod 600, owned by the user of the container: chown ${USER}).

services:
  svc-quota-monitor:
    image: svc-quota-monitor:${version}
    build: .
    restart: unless-stopped
    user: "${USER}:${USER}"
    read_only: true
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    tmpfs: [/tmp]
    environment:
      SVC_QUOTA_MONITOR_HOST: 0.0.0.0
      SVC_QUOTA_MONITOR_PORT: "4515"
      SVC_QUOTA_MONITOR_ALLOWED_HOSTS: ${JSON.stringify(publicName)}
      SVC_QUOTA_MONITOR_UPSTREAM_URL: ${JSON.stringify(seenFromContainer(config.upstreamUrl))}
      SVC_QUOTA_MONITOR_MANAGEMENT_KEY_FILE: /run/secrets/management-key
      SVC_QUOTA_MONITOR_STATE_DB: /state/history.db
      SVC_QUOTA_MONITOR_DISPLAY_TIMEZONE: ${JSON.stringify(config.displayTimezone)}
    # Reached from this machine only; a reverse proxy with a login stands in front of it.
    ports: ["127.0.0.1:${config.port}:4515"]
    extra_hosts: ["host.docker.internal:host-gateway"]
    volumes: ["state:/state"]
    secrets: [management-key]
    healthcheck:
      test: ["CMD", "/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:4515/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
      interval: 30s
      timeout: 5s

volumes:
  state:

secrets:
  management-key:
    file: ./management-key
`
}

/** Inside a container the loopback address is the container itself. */
function seenFromContainer(url: string): string {
  const seen = new URL(url)
  if (/^(?:localhost|127\.|\[::1\])/.test(seen.hostname)) seen.hostname = 'host.docker.internal'
  return seen.href.replace(/\/$/, '')
}
