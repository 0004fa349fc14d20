import * as v from 'valibot'
import { CONTRACT_VERSION } from './recommendations.ts'
import { described } from './wire-schema.ts'

const versionSchema = described(
  v.string(),
  'A version of the status or of health: its ETag without quotes and without the name of an encoding.',
)

/** Answer of `/api/v1/status?since=…`, and likewise of health, while that version is still known. */
export const statusChangesSchema = described(
  v.object({
    contractVersion: v.string(),
    since: described(
      versionSchema,
      'Version the changes apply to. The whole answer has no such member.',
    ),
    etag: described(versionSchema, 'Version after the changes; value of the next `since`.'),
    steps: described(
      v.array(
        v.object({
          laterSeconds: v.pipe(
            v.number(),
            v.integer(),
            v.description(
              'Seconds to subtract from every `resetsInSeconds` (down to 0) and to add to every `ageSeconds`, before `change` applies.',
            ),
          ),
          change: described(
            v.record(v.string(), v.unknown()),
            'Changes of members. A list marks a replacement: `[value]` sets the member, `[]` removes it. An object changes the members it names. For a list, the ' +
              'members are positions in the new list, and `from` maps it to the old rows unless they are the same in the same order: runs of `[first, count]`, with a ' +
              'first of -1 for new rows.',
          ),
        }),
      ),
      'Steps to apply in order.',
    ),
  }),
  'Changes of the status or health since an earlier version.',
)

/** Start and end versions of changes. */
export interface VersionSpan {
  readonly since: string
  readonly etag: string
}

/** The answer as JSON text, built from steps already in JSON: each step is part of several answers. */
export function statusChangesText({ since, etag }: VersionSpan, steps: readonly string[]): string {
  const head = JSON.stringify({ contractVersion: CONTRACT_VERSION, since, etag })
  return `${head.slice(0, -1)},"steps":[${steps.join(',')}]}`
}
