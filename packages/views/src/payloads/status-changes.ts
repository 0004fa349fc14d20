import * as v from 'valibot'
import { CONTRACT_VERSION } from './recommendations.ts'

const versionSchema = v.pipe(
  v.string(),
  v.description(
    'A version of the status or of health: its ETag without quotes and without the name of an encoding.',
  ),
)

/** Answer of `/api/v1/status?since=…`, and likewise of health, while that version is still known. */
export const statusChangesSchema = v.pipe(
  v.object({
    contractVersion: v.string(),
    since: v.pipe(
      versionSchema,
      v.description('The version that is changed. The whole answer has no such member.'),
    ),
    etag: v.pipe(versionSchema, v.description('The version that comes of it; the next `since`.')),
    steps: v.pipe(
      v.array(
        v.object({
          laterSeconds: v.pipe(
            v.number(),
            v.integer(),
            v.description(
              'First every `resetsInSeconds` falls by this and every `ageSeconds` rises by it, none below 0.',
            ),
          ),
          change: v.pipe(
            v.record(v.string(), v.unknown()),
            v.description(
              'Then members change. A list stands for a new value: `[value]` takes its place, `[]` takes the member away. An object changes the members it ' +
                'names. Of a list the members are positions in the new list, and `from` says which rows of the old one it is made of, where these are not ' +
                'the same in the same order: runs of `[first, count]`, a first of -1 for rows that are new.',
            ),
          ),
        }),
      ),
      v.description('Taken one after the other.'),
    ),
  }),
  v.description('What has changed of the status, or of health, since a version of it.'),
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
