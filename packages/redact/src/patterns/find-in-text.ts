import type { Span } from '../span.ts'
import { assignmentsIn } from '../structure/assignments.ts'
import { commandsIn } from '../structure/commands.ts'
import { markupIn } from '../structure/markup.ts'
import { blocksIn } from './blocks.ts'
import { emailsIn } from './emails.ts'
import { randomRunsIn } from './runs.ts'
import { shapesIn } from './shapes.ts'
import { symbolRunsIn } from './symbol-runs.ts'
import { userInfoIn } from './user-info.ts'

/** Nothing that is looked for is shorter. */
const LENGTH_MIN = 5

/** Everything that is found without knowing what kind of text it is. Stretches may overlap. */
export function findInText(text: string): Span[] {
  if (text.length < LENGTH_MIN) return []
  return [
    ...blocksIn(text),
    ...emailsIn(text),
    ...shapesIn(text),
    ...userInfoIn(text),
    ...assignmentsIn(text),
    ...commandsIn(text),
    ...markupIn(text),
    ...randomRunsIn(text),
    ...symbolRunsIn(text),
  ]
}
