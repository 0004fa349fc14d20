import { instantToIso, type Snapshot } from '@svc/core'
import * as v from 'valibot'
import type { Wording } from '../messages/wording.ts'
import { countSchema, described, instantSchema } from './wire-schema.ts'

export const firstRoundSchema = described(
  v.nullable(
    v.object({
      accountsRead: countSchema,
      accountsToRead: countSchema,
      doneAt: described(
        v.nullable(instantSchema),
        'Expected end of this first reading; null while queries to the vendor fail.',
      ),
      text: v.string(),
    }),
  ),
  'Progress of the first reading of all accounts, while more than a fifth of the tracked units is unknown; null otherwise.',
)

/** Progress of the first round of readings, in numbers and words; null if none is under way. */
export function firstRoundView(
  { firstRound, evaluatedAt }: Pick<Snapshot, 'firstRound' | 'evaluatedAt'>,
  text: Wording,
): v.InferOutput<typeof firstRoundSchema> {
  if (firstRound === null) return null
  const { readCount, toReadCount, doneAt } = firstRound
  return {
    accountsRead: readCount,
    accountsToRead: toReadCount,
    doneAt: doneAt === null ? null : instantToIso(doneAt),
    text: text.words.pool.firstRound({
      readCount,
      toReadCount,
      doneAt: doneAt === null ? null : text.momentText(doneAt, evaluatedAt),
    }),
  }
}
