import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configurationDoc, referenceDoc } from './generated-docs.ts'
import { top } from './top.ts'

/** Writes the documents that are made from tables. */
writeFileSync(join(top, 'docs/configuration.md'), configurationDoc())
writeFileSync(join(top, 'docs/reference.md'), await referenceDoc())
