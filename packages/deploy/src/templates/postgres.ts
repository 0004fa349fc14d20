import { type Installation, shellWord, storeDatabase } from '../installation/installation.ts'
import { CONTAINER_USER } from './compose.ts'

/** Name of the role, database and schema if the configuration names none. */
const USUAL_NAME = 'svc_quota_monitor'
/** PostgreSQL schema that contains every table. */
const SCHEMA = 'svc_quota_monitor'
const USUAL_PASSWORD_FILE = '/etc/svc-quota-monitor/state-db-password'

/** Role, database and address of the service's login, and the connections it may use. */
interface Login {
  readonly role: string
  readonly database: string
  /** Allowed connections, each as the type and the client address of a line in pg_hba.conf; the address is empty for a socket. */
  readonly ways: readonly (readonly [kind: string, from: string])[]
  readonly address: string
}

function loginOf(installation: Installation): Login {
  const database = storeDatabase(installation)
  const here = [
    ['local', ''],
    ['host', '127.0.0.1/32'],
    ['host', '::1/128'],
  ] as const
  if (database === null) {
    const address = `postgres://${USUAL_NAME}@127.0.0.1/${USUAL_NAME}`
    return { role: USUAL_NAME, database: USUAL_NAME, ways: here, address }
  }
  const { username, hostname, pathname, searchParams } = new URL(database.address)
  const isHere = searchParams.get('sslmode') === 'disable'
  return {
    role: decodeURIComponent(username) || USUAL_NAME,
    database: decodeURIComponent(pathname.slice(1)),
    ways: isHere ? here : [['hostssl', '192.0.2.7/32']],
    // Without a user name the driver uses the name of the service's system user.
    address:
      username === ''
        ? database.address.replace('//', `//${USUAL_NAME}@${hostname === '' ? 'localhost' : ''}`)
        : database.address,
  }
}

/** SQL by which a superuser creates role, database and schema; the role owns only the schema. */
export function postgresSql(installation: Installation): string {
  const { role, database, address } = loginOf(installation)
  const [roleName, databaseName] = [sqlName(role), sqlName(database)]
  const passwordFile = installation.config.history.stateDbPasswordFile ?? USUAL_PASSWORD_FILE
  return `-- Role, database and schema of the history in PostgreSQL 15 or newer. As a superuser, as often as you like:
--   STATE_DB_PASSWORD_FILE=${commentText(shellWord(passwordFile))} psql --no-psqlrc --file postgres.sql postgres
-- The file holds the password as one line, for the user of the service alone (chmod 600). Without the variable the
-- password stays as it is; \\password sets one by hand.
--
-- pg_hba.conf lets the role in, above the lines that are for everybody (init postgres-hba), then SELECT pg_reload_conf():
${hbaLines(installation)
  .map((line) => `--   ${line}\n`)
  .join('')}--
-- The configuration of the service:
--   state_db = ${commentText(JSON.stringify(address))}
--   state_db_password_file = ${commentText(JSON.stringify(passwordFile))}

\\set ON_ERROR_STOP on
-- The password must not stand in the log of the server.
SET log_statement = 'none';
SET log_min_duration_statement = -1;
SET log_min_error_statement = 'panic';

SELECT ${sqlText(`CREATE ROLE ${roleName}`)}
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${sqlText(role)}) \\gexec
ALTER ROLE ${roleName} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;

\\getenv password_file STATE_DB_PASSWORD_FILE
\\if :{?password_file}
  \\set password \`cat "$STATE_DB_PASSWORD_FILE"\`
  SELECT :'password' <> '' AS has_password \\gset
  \\if :has_password
    ALTER ROLE ${roleName} PASSWORD :'password';
  \\else
    DO $$ BEGIN RAISE EXCEPTION 'STATE_DB_PASSWORD_FILE is empty, or cannot be read'; END $$;
  \\endif
  \\unset password
\\endif

-- A database for the history alone: nobody else has to do with it.
SELECT ${sqlText(`CREATE DATABASE ${databaseName} ENCODING 'UTF8' TEMPLATE template0`)}
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = ${sqlText(database)}) \\gexec
REVOKE ALL ON DATABASE ${databaseName} FROM PUBLIC;
GRANT CONNECT ON DATABASE ${databaseName} TO ${roleName};

\\connect ${databaseName}
CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
ALTER SCHEMA ${SCHEMA} OWNER TO ${roleName};
REVOKE ALL ON SCHEMA ${SCHEMA} FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
`
}

/** Lines of pg_hba.conf that admit only this role. */
export function postgresHba(installation: Installation): string {
  return `# For pg_hba.conf, above the lines that are for everybody; then: SELECT pg_reload_conf()
# In place of 192.0.2.7 stands the address that the service connects from. Other machines are let in encrypted alone
# (hostssl): the service insists on a certificate of the server for its host name.
# TYPE  DATABASE  USER  ADDRESS  METHOD
${hbaLines(installation).join('\n')}
`
}

function hbaLines(installation: Installation): readonly string[] {
  const { role, database, ways } = loginOf(installation)
  return ways.map(([kind, from]) =>
    [kind, hbaName(database), hbaName(role), ...(from === '' ? [] : [from]), 'scram-sha-256'].join(
      '  ',
    ),
  )
}

/** Compose file for a separate database server next to the service's container. The server is reached through a socket and listens on no network. */
export function postgresCompose(): string {
  return `# A database for the history beside the service, with postgres.sql in this folder:
#   docker compose --file compose.yaml --file compose.postgres.yaml up --detach
# Two files with a password each, made before the first start and never the same: state-db-password and state-db-superuser,
#   (umask 077 && openssl rand -base64 24 > state-db-password && openssl rand -base64 24 > state-db-superuser)
#   chown ${CONTAINER_USER} state-db-password state-db-superuser
# The history of a file is taken along with migrate-history before compose.yaml loses it.

services:
  svc-quota-monitor:
    depends_on:
      state-db: { condition: service_healthy }
    environment:
      SVC_QUOTA_MONITOR_STATE_DB: "postgres://${USUAL_NAME}@localhost/${USUAL_NAME}?host=/run/postgresql"
      SVC_QUOTA_MONITOR_STATE_DB_PASSWORD_FILE: "/run/secrets/state-db-password"
    volumes: ["state-db-socket:/run/postgresql"]
    secrets: [state-db-password]

  state-db:
    image: postgres:17
    restart: unless-stopped
    # The user of the service's container, so that both can read the password.
    user: "${CONTAINER_USER}:${CONTAINER_USER}"
    network_mode: none
    read_only: true
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    tmpfs: [/tmp]
    shm_size: 256m
    stop_grace_period: 60s
    command: ["postgres", "-c", "listen_addresses="]
    environment:
      POSTGRES_INITDB_ARGS: "--auth=scram-sha-256"
      POSTGRES_PASSWORD_FILE: "/run/secrets/state-db-superuser"
      STATE_DB_PASSWORD_FILE: "/run/secrets/state-db-password"
      PGDATA: "/var/lib/postgresql/data/history"
    volumes:
      - "state-db:/var/lib/postgresql/data"
      - "state-db-socket:/var/run/postgresql"
      - "./postgres.sql:/docker-entrypoint-initdb.d/postgres.sql:ro"
    secrets: [state-db-password, state-db-superuser]
    healthcheck:
      test: ["CMD", "pg_isready", "--quiet", "--dbname=${USUAL_NAME}"]
      interval: 10s
      timeout: 5s
      start_period: 60s

volumes:
  state-db:
  state-db-socket:

secrets:
  state-db-password:
    file: "./state-db-password"
  state-db-superuser:
    file: "./state-db-superuser"
`
}

/** Quotes a name as an SQL identifier. */
function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Quotes a name for pg_hba.conf, where quotes also disable keywords such as `all`. */
function hbaName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Replaces control characters with spaces, because a line break would end the comment. */
function commentText(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ')
}

/**
 * Reason the role cannot be created: a name in the address has a control character, such as a line break, which pg_hba.conf does not accept. Null if
 * it can.
 */
export function postgresRefusal(installation: Installation): string | null {
  const { role, database } = loginOf(installation)
  return /\p{Cc}/u.test(role + database)
    ? 'state_db has a control character in the name of its role or database'
    : null
}
