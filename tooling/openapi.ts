import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@svc/views/openapi'
import { clientSchemas } from './client-schemas.ts'
import { top } from './top.ts'

/** Writes the contract, and the part of it that the client checks. */
const document = openApiDocument()
writeFileSync(join(top, 'docs/openapi.json'), `${JSON.stringify(document, null, 2)}\n`)
writeFileSync(join(top, 'packages/client/src/payload-schemas.ts'), clientSchemas(document))
