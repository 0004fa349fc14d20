import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { top } from '../top.ts'

const built = (file: string) => pathToFileURL(join(top, 'apps/cli/dist', file))

/** The worker threads of the built program; Node loads no TypeScript there. */
export const builtDashboard = built('dashboard/')
export const builtWorkers = {
  storeWriter: built('store-writer.js'),
  storeReader: built('store-reader.js'),
  storeLeases: built('store-leases.js'),
}
