import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configurationDoc } from './configuration-doc.ts'
import { referenceDoc } from './reference-doc.ts'
import { top } from './top.ts'

/** Writes the documents that are made from tables. */
writeFileSync(join(top, 'docs/configuration.md'), configurationDoc())
writeFileSync(join(top, 'docs/reference.md'), await referenceDoc())
