import { type StatusOrigin, statusChangesText, statusStep } from '@svc/views'
import { compressedTo, readyText } from '../answers/encode-json.ts'
import {
  type Compression,
  includesCompression,
  joinedCompression,
  type ReadyAnswer,
  versionOf,
} from '../answers/ready-answer.ts'
import { JSON_TYPE } from '../answers/response-headers.ts'

/** The latest versions of a payload, and what has changed from each of them to the newest. */
export interface PayloadVersions {
  readonly newest: StatusOrigin & { readonly version: string }
  /** Oldest first; each leads to the version of the next, the last one to the newest. */
  readonly steps: readonly Step[]
  /** What somebody with that version is answered, by version. Empty unless somebody asks so. */
  readonly answers: ReadonlyMap<string, ReadyAnswer>
  /** Null where nobody asks. */
  readonly compression: Compression | null
}

interface Step {
  readonly since: string
  readonly json: string
}

/** A page in a hidden tab asks once a minute, in which there are four versions. */
const STEPS_MAX = 5
/** All steps together, in characters; of the largest pools only the last one stays. */
const STEPS_CHARACTERS_MAX = 1_000_000
/** Changes larger than this part of the payload are not worth the patching. */
const SHARE_MAX = 1 / 2

/** How the first becomes the second. */
type StepBetween = typeof statusStep

/**
 * The versions after a payload was published; `compression`: how far changes are read compressed, null where nobody reads any. Without a reader no step
 * is made, so that the first who asks gets the whole payload. Null where it was not made.
 */
export function versionsAfter(
  before: PayloadVersions | null,
  payload: ReadyAnswer | undefined,
  origin: StatusOrigin,
  compression: Compression | null,
  stepBetween: StepBetween = statusStep,
): PayloadVersions | null {
  if (payload === undefined) return null
  const version = versionOf(payload)
  if (before?.newest.version === version) return inCompression(before, compression)
  const newest = { ...origin, version }
  if (before === null || compression === null)
    return { newest, steps: [], answers: new Map(), compression }
  const step = {
    since: before.newest.version,
    json: JSON.stringify(stepBetween(before.newest, origin)),
  }
  const charactersMax = Math.min(STEPS_CHARACTERS_MAX, payload.plain.bytes.length * SHARE_MAX)
  const steps = within(charactersMax, [...before.steps, step])
  const answers = new Map(
    steps.map(({ since }, index) => {
      const after = steps.slice(index).map(({ json }) => json)
      const text = statusChangesText({ since, etag: version }, after)
      return [since, readyText(text, JSON_TYPE, compression)]
    }),
  )
  return { newest, steps, answers, compression }
}

function inCompression(
  versions: PayloadVersions,
  compression: Compression | null,
): PayloadVersions {
  const { answers } = versions
  if (compression === null || isReady(versions, compression)) return versions
  return {
    ...versions,
    compression: joinedCompression([versions.compression ?? 'none', compression]),
    answers: new Map(
      [...answers].map(([since, answer]) => [since, compressedTo(answer, compression)]),
    ),
  }
}

/** Whether who reads in this compression gets all changes there are. */
export function isReady({ compression }: PayloadVersions, wanted: Compression): boolean {
  return compression !== null && includesCompression(compression, wanted)
}

/** The latest steps, as many as stay within this many characters. */
function within(charactersMax: number, steps: readonly Step[]): readonly Step[] {
  let characters = 0
  const tooOld = steps.findLastIndex(({ json }, index) => {
    characters += json.length
    return characters > charactersMax || index < steps.length - STEPS_MAX
  })
  return steps.slice(tooOld + 1)
}
