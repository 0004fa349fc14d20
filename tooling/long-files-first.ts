import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Slowest files of `npm run test:system`, the slowest first. Most of them wait for a clock. Without times of an earlier run, vitest begins with the
 * largest files: all browser tests at once, and one long wait at the end.
 */
export const LONG_FILES = [
  'tests/system/faults/vendors-over-restarts.test.ts',
  'tests/system/postgres/leases.test.ts',
  'tests/system/postgres/stranded.test.ts',
  'tests/system/faults/process.test.ts',
  'tests/system/messages.test.ts',
  'tests/system/faults/storage.test.ts',
  'tests/system/faults/transport.test.ts',
  'tests/system/postgres/differential.test.ts',
  'tests/system/postgres/cut-off.test.ts',
  'tests/system/canary.test.ts',
  'packages/collector/src/polite-vendors.test.ts',
  'tests/system/store-contract.test.ts',
  'tests/system/faults/payload.test.ts',
  'tests/system/generations.test.ts',
  'tests/system/faults/status.test.ts',
  'tests/system/second-reader.test.ts',
  'tests/system/faults/crash-loop.test.ts',
  'tests/system/database-canary.test.ts',
  'tests/system/dashboard/providers.test.ts',
  'tests/system/wrong-clock.test.ts',
  'tests/program/dashboard/widths.test.ts',
  'tests/system/dashboard/dashboard.test.ts',
  'tests/system/faults/pipeline.test.ts',
  'tests/program/dashboard/wall.test.ts',
  'tests/system/hostile-bodies.test.ts',
  'tests/system/restart.test.ts',
  'tests/system/one-provider.test.ts',
  'tests/system/faults/subscription.test.ts',
  'tests/program/dashboard/dashboard.test.ts',
  'tests/system/history.test.ts',
  'tests/system/reads-never-wait.test.ts',
  'tests/system/faults/connecting.test.ts',
  'tests/system/postgres/crash-loop.test.ts',
  'tests/program/dashboard/accounts.test.ts',
  'tests/system/executable.test.ts',
  'tests/program/dashboard/chinese.test.ts',
  'tests/system/postgres/waits.test.ts',
  'tests/system/faults/fuzz.test.ts',
  'tests/system/mixed-pool.test.ts',
  'tests/system/postgres/moving.test.ts',
  'tests/system/postgres/two-writers.test.ts',
  'tests/system/hostile-service.test.ts',
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
