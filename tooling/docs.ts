import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configurationDoc } from './configuration-doc.ts'
import { operatingDoc } from './operating-doc.ts'
import { top } from './top.ts'

/** Writes the documents that are made from tables. */
writeFileSync(join(top, 'docs/configuration.md'), configurationDoc())
writeFileSync(join(top, 'docs/operating.md'), await operatingDoc())
