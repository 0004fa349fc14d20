import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Slowest files of `npm run test:system`, the slowest first. Most of them wait for a clock. Without times of an earlier run, vitest begins with the
 * largest files: all browser tests at once, and one long wait at the end.
 */
export const LONG_FILES = [
  'tests/system/messages.test.ts',
  'tests/system/faults/process.test.ts',
  'tests/system/faults/storage.test.ts',
  'tests/system/mixed-pool.test.ts',
  'tests/system/clock-jumps.test.ts',
  'packages/history/src/postgres/silent-server.test.ts',
  'tests/system/dashboard/dashboard.test.ts',
  'tests/system/faults/payload.test.ts',
  'tests/system/postgres/leases.test.ts',
  'tests/program/dashboard/widths.test.ts',
  'packages/collector/src/polite-vendors.test.ts',
  'tests/system/faults/transport.test.ts',
  'tests/system/wrong-clock.test.ts',
  'tests/system/dashboard/providers.test.ts',
  'tests/system/second-reader.test.ts',
  'tests/program/dashboard/dashboard.test.ts',
  'tests/system/restart.test.ts',
  'tests/system/postgres/differential.test.ts',
  'tests/system/history.test.ts',
  'tests/system/faults/pipeline.test.ts',
  'tests/system/postgres/cut-off.test.ts',
  'tests/system/store-contract.test.ts',
  'tests/system/faults/crash-loop.test.ts',
  'tests/system/reads-never-wait.test.ts',
  'tests/program/dashboard/wall.test.ts',
  'tests/system/store-damage.test.ts',
  'tests/system/postgres/waits.test.ts',
  'tests/system/faults/status.test.ts',
  'tests/program/dashboard/chinese.test.ts',
  'tests/program/dashboard/accounts.test.ts',
  'tests/system/faults/connecting.test.ts',
  'tests/system/postgres/crash-loop.test.ts',
  'tests/system/database-canary.test.ts',
]

/** Runs the long files first; the others follow in the order of vitest. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONG_FILES.findIndex((path) => moduleId.endsWith(`/${path}`))
      return place === -1 ? LONG_FILES.length : place
    }
    return (await super.sort(files)).sort((one, other) => placeOf(one) - placeOf(other))
  }
}
