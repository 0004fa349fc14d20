import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@svc/views/openapi'
import { clientSchemas } from './client-schemas.ts'
import { top } from './top.ts'

/** Writes the contract, and what the client checks of it. */
const document = openApiDocument()
writeFileSync(join(top, 'docs/openapi.json'), `${JSON.stringify(document, null, 2)}\n`)
writeFileSync(join(top, 'packages/client/src/payload-schemas.ts'), clientSchemas(document))
