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

/** The latest versions of a payload, and the changes from each of them to the newest. */
export interface PayloadVersions {
  readonly newest: StatusOrigin & { readonly version: string }
  /** Oldest first; each leads to the next version, the last one to the newest. */
  readonly steps: readonly Step[]
  /** Answers for readers of changes, by the version they have. Empty without such readers. */
  readonly answers: ReadonlyMap<string, ReadyAnswer>
  /** Null without readers of changes. */
  readonly compression: Compression | null
}

interface Step {
  readonly since: string
  readonly json: string
}

/** Enough for a page in a hidden tab, which asks once a minute: four versions appear in that time. */
const STEPS_MAX = 5
/** Most characters of all steps together; with the largest pools only the last step fits. */
const STEPS_CHARACTERS_MAX = 1_000_000
/** Largest useful change, as a share of the payload. */
const SHARE_MAX = 1 / 2

/** Computes the change from the first version to the second. */
type StepBetween = typeof statusStep

/**
 * The versions after a payload was published. `compression`: compression in which changes are read; null without readers, in which case no
 * step is made, so that the first reader gets the whole payload. Null if the payload was not made.
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

/** Whether a reader with this compression gets all existing changes. */
export function isReady({ compression }: PayloadVersions, wanted: Compression): boolean {
  return compression !== null && includesCompression(compression, wanted)
}

/** The latest steps that fit into this many characters. */
function within(charactersMax: number, steps: readonly Step[]): readonly Step[] {
  let characters = 0
  const tooOld = steps.findLastIndex(({ json }, index) => {
    characters += json.length
    return characters > charactersMax || index < steps.length - STEPS_MAX
  })
  return steps.slice(tooOld + 1)
}
