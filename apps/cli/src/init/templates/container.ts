import type { Installation } from '../installation.ts'

/** Number of the user that distroless images call nonroot. */
export const CONTAINER_USER = 65532

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
COPY --from=build --chown=${CONTAINER_USER}:${CONTAINER_USER} /state /state
USER ${CONTAINER_USER}
VOLUME /state
EXPOSE 4515
ENTRYPOINT ["/nodejs/bin/node", "--disable-proto=delete", "/app/node_modules/svc-quota-monitor/dist/main.js"]
`
}
