import { bytesOf } from '../byte-text.ts'
import { type DatabaseSource, schemaTexts } from '../database/redact-database.ts'
import { ruleOfName } from '../names/secret-names.ts'
import type { CollectedValues } from './collected-values.ts'

const DEFAULT =
  /["`[]?(\w{1,64})["`\]]?[^,()]{0,256}\bDEFAULT[ \t\r\n]{0,16}\(?[ \t]{0,8}['"]((?:[^'"]|''){1,4096})['"]/gi

/** Makes known the defaults of columns that are named as secrets. Throws RedactError. */
export function collectSchema(source: DatabaseSource, collected: CollectedValues): void {
  for (const sql of schemaTexts(source)) {
    for (const [, column = '', value = ''] of sql.matchAll(DEFAULT)) {
      const rule = ruleOfName(column)
      if (rule !== null && rule.hides !== 'likely')
        collected.addFound({
          start: 0,
          end: value.length,
          kind: rule.kind,
          value: bytesOf(value),
          certainty: 'named',
        })
    }
  }
}
