import type { Log, Readiness } from '@svc/core/service'
import { replacedIn } from '../answers/encode-json.ts'
import {
  type PayloadName,
  type Payloads,
  type ReadyAnswer,
  type VersionedName,
  versionOf,
} from '../answers/ready-answer.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { IfStalled } from '../monitor/publisher.ts'
import { ChannelError } from '../threads/channel.ts'
import type { Publication } from './pipeline-api.ts'

/** What readers and scrapers are shown: what a pipeline has published last, piece by piece. */
export interface ShownPublication {
  /** Resolves with the first publication, or when the pipeline is lost before. */
  readonly first: Promise<void>
  publish(next: Publication): void
  /** The pipeline is lost: says in what is served that nothing newer comes. */
  stall(): void
  isEmpty(): boolean
  /** Throws ChannelError before the first publication. */
  payload(name: PayloadName): ReadyAnswer
  /**
   * What has changed of a payload since that version, or the payload where nothing has; null where the version is not known. Throws as `payload` does.
   */
  changesSince(name: VersionedName, version: string): ReadyAnswer | null
  readiness(): Readiness
}

const NO_CHANGES = { status: new Map(), health: new Map() }

export function createShownPublication(metrics: Metrics, log: Log): ShownPublication {
  let shown: Payloads | null = null
  let changes: Readonly<Record<VersionedName, ReadonlyMap<string, ReadyAnswer>>> = NO_CHANGES
  let ifStalled: IfStalled | null = null
  /** What the status that is shown says of health; it may be older than `ifStalled`. */
  let healthInStatus: string | null = null
  let readiness: Readiness = 'pending'
  let sampledAt: number | null = null
  let isStalled = false
  let noteFirst = () => {}
  const first = new Promise<void>((resolve) => {
    noteFirst = resolve
  })
  const payload = (name: PayloadName): ReadyAnswer => {
    if (shown === null) throw new ChannelError('crashed')
    return shown[name]
  }
  return {
    first,
    publish(next) {
      // A pipeline that has only just begun again knows less than what is still shown.
      if (isStalled && next.sampledAt === null && sampledAt !== null) return
      if (isStalled) log.info('pipeline publishes again')
      isStalled = false
      shown = shown === null ? (next.payloads as Payloads) : { ...shown, ...next.payloads }
      changes = {
        status: next.changes ?? changes.status,
        health: next.healthChanges ?? changes.health,
      }
      ifStalled = next.ifStalled ?? ifStalled
      if (next.payloads.status !== undefined) healthInStatus = ifStalled?.inStatus.before ?? null
      readiness = next.readiness
      sampledAt = next.sampledAt
      metrics.onGauges(next.gauges, next.sampledAt)
      noteFirst()
    },
    stall() {
      noteFirst()
      if (isStalled || shown === null || ifStalled === null || healthInStatus === null) return
      isStalled = true
      const { health, inStatus, gauges } = ifStalled
      const status = replacedIn(shown.status, healthInStatus, inStatus.after)
      shown = { ...shown, health, status }
      // They lead to what is no longer shown.
      changes = NO_CHANGES
      metrics.onGauges(gauges)
    },
    isEmpty: () => shown === null,
    payload,
    changesSince(name, version) {
      const whole = payload(name)
      return versionOf(whole) === version ? whole : (changes[name].get(version) ?? null)
    },
    readiness: () => readiness,
  }
}
