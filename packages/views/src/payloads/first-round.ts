import { instantToIso, type Snapshot } from '@svc/core'
import * as v from 'valibot'
import { countedText, countText, type Zone } from '../format/format.ts'
import { countSchema, instantSchema } from './wire-schema.ts'

export const firstRoundSchema = v.pipe(
  v.nullable(
    v.object({
      accountsRead: countSchema,
      accountsToRead: countSchema,
      doneAt: v.pipe(
        v.nullable(instantSchema),
        v.description('When it is expected to end; null while direct queries fail.'),
      ),
      text: v.string(),
    }),
  ),
  v.description(
    'The first reading of the accounts, while more than a fifth of the tracked units is unknown; null otherwise.',
  ),
)

/** How far the first round has come, in numbers and words. */
export function firstRoundView(
  { firstRound, evaluatedAt }: Pick<Snapshot, 'firstRound' | 'evaluatedAt'>,
  text: Zone,
): v.InferOutput<typeof firstRoundSchema> {
  if (firstRound === null) return null
  const { readCount, toReadCount, doneAt } = firstRound
  const reading = `Reading ${countText(readCount)} of ${countedText(toReadCount, 'account')}`
  return {
    accountsRead: readCount,
    accountsToRead: toReadCount,
    doneAt: doneAt === null ? null : instantToIso(doneAt),
    text:
      doneAt === null ? reading : `${reading}, done about ${text.momentText(doneAt, evaluatedAt)}`,
  }
}
