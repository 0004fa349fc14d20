import type { Installation } from '../installation/installation.ts'

/** A user id that no user of the machine has. */
export const CONTAINER_USER = 65532

/** Dockerfile with two stages made only of packages from Debian and npm: one with a compiler for SQLite, one with Node and the program. */
export function dockerfile({ version }: Installation): string {
  return `# Put svc-quota-monitor-${version}.tgz (made by \`npm run package\`) beside this file, then:
#   docker build --tag svc-quota-monitor:${version} .
# Another release of Debian 13, or a digest: --build-arg BASE=debian@sha256:...

ARG BASE=debian:13.1-slim

FROM \${BASE} AS build
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates g++ libnode-dev make nodejs npm python3
WORKDIR /app
COPY svc-quota-monitor-${version}.tgz .
# The headers of Debian's Node are there; without SQLite the build fails.
RUN npm_config_nodedir=/usr npm install --omit=dev --no-audit --no-fund --foreground-scripts ./svc-quota-monitor-${version}.tgz \\
 && node -e "new (require('better-sqlite3'))(':memory:').close()" \\
 && mkdir /state

FROM \${BASE}
RUN apt-get update && apt-get upgrade --yes && apt-get install --yes --no-install-recommends ca-certificates nodejs && rm -rf /var/lib/apt/lists/*
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build --chown=${CONTAINER_USER}:${CONTAINER_USER} /state /state
USER ${CONTAINER_USER}:${CONTAINER_USER}
VOLUME /state
EXPOSE 4515
HEALTHCHECK --interval=30s --timeout=5s CMD ["/usr/bin/node", "-e", "fetch('http://127.0.0.1:4515/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/node", "--disable-proto=delete", "/app/node_modules/svc-quota-monitor/dist/main.js"]
`
}
