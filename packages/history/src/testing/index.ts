export { groupings } from '../usage/tiers.ts'
export { type Bouncer, startBouncer } from './bouncer.ts'
export { type Connection, connectTo } from './connect-to.ts'
export { type OwnDatabases, ownDatabases } from './own-databases.ts'
export { whyNoBouncer, whyNoPostgres } from './postgres-programs.ts'
export {
  type PostgresServer,
  ROLE,
  type ServerOptions,
  startPostgres,
} from './postgres-server.ts'
export { createKeeperFile, createManagerFile, writeKeeperFile } from './recorder-files.ts'
export { type Relay, type Stranding, startRelay } from './relay.ts'
