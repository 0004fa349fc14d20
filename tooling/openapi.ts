import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@svc/views/openapi'
import { top } from './top.ts'

const file = join(top, 'docs/openapi.json')
const current = `${JSON.stringify(openApiDocument(), null, 2)}\n`
if (process.argv.includes('--write')) {
  writeFileSync(file, current)
} else if (committed() !== current) {
  console.error('docs/openapi.json is out of date. Run `npm run openapi` and commit the result.')
  process.exitCode = 1
}

function committed(): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
