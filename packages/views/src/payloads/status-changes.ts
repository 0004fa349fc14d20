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
      'The version that is changed. The whole answer has no such member.',
    ),
    etag: described(versionSchema, 'The version that comes of it; the next `since`.'),
    steps: described(
      v.array(
        v.object({
          laterSeconds: v.pipe(
            v.number(),
            v.integer(),
            v.description(
              'First every `resetsInSeconds` falls by this and every `ageSeconds` rises by it, none below 0.',
            ),
          ),
          change: described(
            v.record(v.string(), v.unknown()),
            'Then members change. A list stands for a new value: `[value]` takes its place, `[]` takes the member away. An object changes the members it ' +
              'names. Of a list the members are positions in the new list, and `from` says which rows of the old one it is made of, where these are not ' +
              'the same in the same order: runs of `[first, count]`, a first of -1 for rows that are new.',
          ),
        }),
      ),
      'Taken one after the other.',
    ),
  }),
  'What has changed of the status, or of health, since a version of it.',
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
