import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@svc/views/openapi'
import { expect, it } from 'vitest'
import { clientSchemas } from '../../tooling/client-schemas.ts'
import { top } from '../../tooling/top.ts'

const committed = join(top, 'docs/openapi.json')

it('docs/openapi.json is the current contract (else run `npm run openapi`)', () => {
  expect(readFileSync(committed, 'utf8')).toBe(`${JSON.stringify(openApiDocument(), null, 2)}\n`)
})

it('the client checks the current contract (else run `npm run openapi`)', () => {
  const checked = join(top, 'packages/client/src/payload-schemas.ts')

  expect(readFileSync(checked, 'utf8')).toBe(clientSchemas(openApiDocument()))
})

it('the contract passes the linter without a warning', () => {
  const redocly = join(top, 'tests/node_modules/.bin/redocly')
  const options = ['--config', join(top, 'tests/redocly.yaml'), '--format', 'json']
  // Neither call home nor look for updates.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const report = execFileSync(redocly, ['lint', committed, ...options], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })

  expect(JSON.parse(report)).toMatchObject({ totals: { errors: 0, warnings: 0 } })
})
