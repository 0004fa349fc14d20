import { basename, dirname } from 'node:path'
import { CONFIG_ENV, envNameOf, isOnThisMachine, settings, upstreamsOf } from '@svc/config'
import {
  type HandedFile,
  handedAddresses,
  handedProxies,
  type Installation,
  isGiven,
  storeDatabase,
  storePath,
} from '../installation/installation.ts'

/** A user id that no user of the machine has. */
export const CONTAINER_USER = 65532
/** The health check of a container, the same in the image of `npm run package -- --image`, which has no Node to ask with. */
const HEALTH_CHECK = ['/usr/bin/svc-quota-monitor', 'line', '--alive']

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
RUN apt-get update && apt-get upgrade --yes && apt-get install --yes --no-install-recommends ca-certificates nodejs && rm -rf /var/lib/apt/lists/* \\
 && ln -s /app/node_modules/.bin/svc-quota-monitor /usr/bin/
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build --chown=${CONTAINER_USER}:${CONTAINER_USER} /state /state
USER ${CONTAINER_USER}:${CONTAINER_USER}
VOLUME /state
EXPOSE 4515
HEALTHCHECK --interval=30s --timeout=10s CMD ${JSON.stringify(HEALTH_CHECK)}
ENTRYPOINT ["/usr/bin/node", "--disable-proto=delete", "/app/node_modules/svc-quota-monitor/dist/main.js"]
`
}

/** Paths of the configured files inside the container. */
const INSIDE = {
  stateDb: '/state/history.db',
  stateDbPassword: '/run/secrets/state-db-password',
  clientLabels: '/run/secrets/client-labels',
  authDir: '/auths',
  benchmark: '/benchmark.json',
  prices: '/prices',
  ownPrices: '/prices.toml',
} as const
/** Folder of the container's secrets. */
const SECRETS = '/run/secrets'
const KEY_FILE = './management-key'
const PORT_INSIDE = 4515
/** Name of the compose service, by which other containers reach the monitor. */
const SERVICE = 'svc-quota-monitor'

/** A compose file with every setting, for a container that neither runs as root nor can write to its file system. */
export function compose(installation: Installation): string {
  const { version, config } = installation
  const database = storeDatabase(installation)
  const sharesNetwork =
    database?.isOnThisMachine === true ||
    upstreamsOf(config).some(
      ({ upstream }) =>
        isOnThisMachine(new URL(upstream.upstreamUrl)) ||
        isOnThisMachine(new URL(upstream.gatewayHealthUrl)),
    )
  const port = sharesNetwork ? config.server.port : PORT_INSIDE
  const { keys, authDirs } = handedProxies(installation, KEY_FILE)
  const secrets = [
    ...tablesOf(installation),
    ...keys,
    ...(config.usage.clientLabelsFile === null
      ? []
      : [{ name: 'client-labels', file: config.usage.clientLabelsFile }]),
    ...(database === null || database.passwordFile === null
      ? []
      : [{ name: 'state-db-password', file: database.passwordFile }]),
    ...handedAddresses(installation),
  ]
  const isInFile = storePath(installation, INSIDE.stateDb) !== null
  const volumes = [
    ...(isInFile ? ['state:/state'] : []),
    ...(database?.places ?? []).map((place) => `${place}:${place}:ro`),
    ...authDirs.map((folder) => `${folder}:${authDirInside(installation, folder)}:ro`),
    // The folder, because a file that is fetched anew takes the place of the one before.
    ...(config.history.priceFile === null
      ? []
      : [`${dirname(config.history.priceFile)}:${INSIDE.prices}:ro`]),
    ...(config.history.priceOverrides === null
      ? []
      : [`${config.history.priceOverrides}:${INSIDE.ownPrices}:ro`]),
    ...(config.benchmark.benchmarkSummary === null
      ? []
      : [`${config.benchmark.benchmarkSummary}:${INSIDE.benchmark}:ro`]),
  ]
  const entries = Object.entries(
    environmentOf(installation, sharesNetwork ? config.server.host : null, port),
  )
  return `# docker compose up --detach
# The files named below "secrets" must be readable by the user of the container alone: chown ${CONTAINER_USER}, chmod 600.
${authDirs.length > 0 && config.fleet.upstreams.length > 0 ? TABLE_NOTE : ''}${config.notify.targets.length > 0 ? ADDRESS_NOTE : ''}${sharesNetwork ? SHARED_NETWORK : ''}
services:
  ${SERVICE}:
    image: svc-quota-monitor:${version}
    build: .
    restart: unless-stopped
    user: "${CONTAINER_USER}:${CONTAINER_USER}"
    read_only: true
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    tmpfs: [/tmp]
    environment:
${entries.map(([name, value]) => `      ${name}: ${composeText(value)}\n`).join('')}${networkPart(installation, sharesNetwork)}    volumes: [${volumes.map(composeText).join(',')}]
    secrets: [${secrets.map(({ name }) => name).join(', ')}]
    healthcheck:
      test: ${JSON.stringify(['CMD', ...HEALTH_CHECK])}
      interval: 30s
      timeout: 10s

${isInFile ? 'volumes:\n  state:\n\n' : ''}${sharesNetwork ? '' : proxyNetwork(containersIn(installation))}secrets:
${secrets.map(({ name, file }) => `  ${name}:\n    file: ${composeText(file)}\n`).join('')}`
}

/** Formats a value as YAML. Compose would expand a single `$` as a variable. */
function composeText(value: string): string {
  return JSON.stringify(value.replaceAll('$', '$$$$'))
}

const TABLE_NOTE = `# In a table auth_dir stands as a whole path: the container reads the configuration from another folder.
`

const ADDRESS_NOTE = `# In a [[notify]] table url_file stands by its name alone: the file is beside the configuration, in ${SECRETS}.
`

const SHARED_NETWORK = `#
# The proxy listens on the loopback address of this machine, which a container of its own network cannot reach. So the
# container shares the network of this machine (Linux; Docker Desktop: switch on host networking). To give it a network of
# its own instead: let the proxy listen on an address the container reaches, set allow-remote: true or MANAGEMENT_PASSWORD
# on the proxy, and make this file again with http://host.docker.internal:8317 as its address.
`

function networkPart(installation: Installation, sharesNetwork: boolean): string {
  const { config } = installation
  if (sharesNetwork) return '    network_mode: host\n'
  const host = config.server.host.includes(':')
    ? `[${config.server.host}]`
    : config.server.host === 'localhost'
      ? '127.0.0.1'
      : config.server.host
  const networks = containersIn(installation).length === 0 ? '' : '    networks: [default, proxy]\n'
  return `    # A reverse proxy with a login stands in front of it. Other containers of its network ask http://${SERVICE}:${PORT_INSIDE}.
    ports: ["${host}:${config.server.port}:${PORT_INSIDE}"]
    extra_hosts: ["host.docker.internal:host-gateway"]
${networks}`
}

/** Hosts of the proxies that have no dot in their names, so they are probably containers. */
function containersIn({ config }: Installation): readonly string[] {
  const hosts = upstreamsOf(config)
    .flatMap(({ upstream }) => [upstream.upstreamUrl, upstream.gatewayHealthUrl])
    .map((url) => new URL(url).hostname)
  return [...new Set(hosts)].filter((host) => /^[a-z][\w-]*$/i.test(host))
}

/** Network of the proxies' own compose file, in which the names of their containers resolve; empty without containers. */
function proxyNetwork(containers: readonly string[]): string {
  if (containers.length === 0) return ''
  return `networks:
  # The network that ${containers.join(', ')} is in: docker network ls lists all. Where that is a machine and no container, remove
  # this and the line "networks" above.
  proxy:
    name: "\${PROXY_NETWORK:-cliproxyapi_default}"
    external: true

`
}

/** The files with tables, each with the variable that names it; empty if no table is configured. */
function tablesOf(
  installation: Installation,
): readonly (HandedFile & { readonly variable: string })[] {
  const { config, configPath } = installation
  const { tables } = handedProxies(installation, KEY_FILE)
  const isConfigNeeded =
    config.notify.targets.length > 0 || (tables === null && config.fleet.upstreams.length > 0)
  return [
    ...(tables === null ? [] : [{ ...tables, variable: 'SVC_QUOTA_MONITOR_UPSTREAMS_FILE' }]),
    ...(isConfigNeeded ? [{ name: 'config.toml', file: configPath, variable: CONFIG_ENV }] : []),
  ]
}

/** Folder of auth files inside the container. A folder named by an `[[upstream]]` table keeps its path. */
function authDirInside({ config }: Installation, folder: string): string {
  return config.fleet.upstreams.length === 0 ? INSIDE.authDir : folder
}

/** Host names by which browsers reach the service and, if it has its own network, those used by scrapers and probes in other containers. */
function allowedHosts({ rows, publicName, config }: Installation, isOwnNetwork: boolean): string {
  const given =
    config.server.allowedHosts.length === 0
      ? publicName
      : rows.find(({ key }) => key === 'allowed_hosts')?.value
  return [given, isOwnNetwork ? `${SERVICE}:${PORT_INSIDE}` : []].flat().join(',')
}

/** A variable for each given setting, with paths as inside the container. `host` is null if the container has its own network. */
function environmentOf(
  installation: Installation,
  host: string | null,
  port: number,
): Readonly<Record<string, string>> {
  const { config, rows } = installation
  const database = storeDatabase(installation)
  const given = settings.flatMap((setting) => {
    const value = rows.find(({ key }) => key === setting.key)?.value ?? null
    if (!isGiven(installation, setting.key) || value === null) return []
    return [[envNameOf(setting), Array.isArray(value) ? value.join(',') : String(value)] as const]
  })
  const inside = (name: string, value: string | null) =>
    value === null ? [] : [[`SVC_QUOTA_MONITOR_${name}`, value] as const]
  const isOne = config.fleet.upstreams.length === 0
  const { keyFile } = handedProxies(installation, KEY_FILE)
  const { authDir } = config.quota
  const listed = tablesOf(installation).map(
    ({ name, variable }) => [variable, `${SECRETS}/${name}`] as const,
  )
  return Object.fromEntries([
    ...(isOne ? inside('UPSTREAM_URL', config.upstream.upstreamUrl) : []),
    ...inside('DISPLAY_TIMEZONE', config.display.displayTimezone),
    ...given,
    ...inside('ALLOWED_HOSTS', allowedHosts(installation, host === null)),
    ...inside('HOST', host ?? '0.0.0.0'),
    ...inside('PORT', String(port)),
    ...listed,
    ...inside('MANAGEMENT_KEY_FILE', `${SECRETS}/${keyFile}`),
    ...inside(
      'STATE_DB',
      database?.address ??
        (storePath(installation, INSIDE.stateDb) === null ? 'off' : INSIDE.stateDb),
    ),
    ...inside(
      'STATE_DB_PASSWORD_FILE',
      config.history.stateDbPasswordFile === null ? null : INSIDE.stateDbPassword,
    ),
    ...inside(
      'CLIENT_LABELS_FILE',
      config.usage.clientLabelsFile === null ? null : INSIDE.clientLabels,
    ),
    ...inside(
      'PRICE_FILE',
      config.history.priceFile === null
        ? null
        : `${INSIDE.prices}/${basename(config.history.priceFile)}`,
    ),
    ...inside('PRICE_OVERRIDES', config.history.priceOverrides === null ? null : INSIDE.ownPrices),
    ...inside('AUTH_DIR', authDir === null ? null : authDirInside(installation, authDir)),
    ...inside(
      'BENCHMARK_SUMMARY',
      config.benchmark.benchmarkSummary === null ? null : INSIDE.benchmark,
    ),
  ])
}
