import { defineConfig } from 'vitest/config'

// Tests read the TypeScript sources of the workspace packages, so no build is needed to run one of them.
// Tests that start the built program say so and look for `apps/cli/dist/main.js` themselves.
const timed = ['tooling/reads-never-wait.test.ts', 'tooling/faults/*.test.ts']

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    testTimeout: 20_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'tooling/**/*.test.ts'],
          exclude: ['**/dist/**', '**/node_modules/**', ...timed],
          sequence: { groupOrder: 0 },
        },
      },
      // What measures milliseconds runs after everything else, alone.
      { extends: true, test: { name: 'timed', include: timed, sequence: { groupOrder: 1 }, fileParallelism: false } },
    ],
  },
})
