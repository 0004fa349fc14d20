import { defineConfig } from 'vitest/config'

// Tests read the TypeScript sources of the workspace packages, so no build is needed to run one of them.
// Tests that start the built program say so and look for `apps/cli/dist/main.js` themselves.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'tooling/**/*.test.ts'],
    exclude: ['**/dist/**', '**/node_modules/**'],
    testTimeout: 20_000,
    maxWorkers: 2,
  },
})
