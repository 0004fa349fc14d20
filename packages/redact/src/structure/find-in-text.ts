import { blocksIn } from '../patterns/blocks.ts'
import { dumpLinesIn } from '../patterns/dumps.ts'
import { emailsIn } from '../patterns/emails.ts'
import { groupedRunsIn } from '../patterns/grouped-runs.ts'
import { randomRunsIn } from '../patterns/runs.ts'
import { shapesIn } from '../patterns/shapes.ts'
import { symbolRunsIn } from '../patterns/symbol-runs.ts'
import { userInfoIn } from '../patterns/user-info.ts'
import type { Span } from '../span.ts'
import { assignmentsIn } from './assignments.ts'
import { commandsIn } from './commands.ts'
import { markupIn } from './markup.ts'

/** Nothing that is looked for is shorter. */
const LENGTH_MIN = 5

/** Everything that is found without knowing what kind of text it is. Stretches may overlap. */
export function findInText(text: string): Span[] {
  if (text.length < LENGTH_MIN) return []
  return [
    ...blocksIn(text),
    ...dumpLinesIn(text),
    ...emailsIn(text),
    ...shapesIn(text),
    ...userInfoIn(text),
    ...assignmentsIn(text),
    ...commandsIn(text),
    ...markupIn(text),
    ...randomRunsIn(text),
    ...groupedRunsIn(text),
    ...symbolRunsIn(text),
  ]
}
