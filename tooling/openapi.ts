import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@svc/views/openapi'
import { top } from './top.ts'

/** Writes the contract. */
writeFileSync(join(top, 'docs/openapi.json'), `${JSON.stringify(openApiDocument(), null, 2)}\n`)
