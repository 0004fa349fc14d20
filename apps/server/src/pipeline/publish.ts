import { readinessOf, stalledSnapshot } from '@svc/core/service'
import { healthView } from '@svc/views'
import { encodeJson } from '../answers/encode-json.ts'
import type { Payloads, ReadyAnswer, ReadyForm } from '../answers/ready-answer.ts'
import { type GaugeSamples, gaugeSamplesOf } from '../metrics/metric-families.ts'
import type { IfStalled, Published } from '../monitor/publisher.ts'
import type { Publication } from './pipeline-api.ts'

/** What is handed to another thread, and the memory that goes with it. */
export interface Handover {
  readonly publication: Publication
  readonly transfer: readonly ArrayBuffer[]
}

/** What is new since the last publication, with copies of its bytes to be given away. */
export function handoverOf(
  { snapshot, payloads, context, ifStalled }: Published,
  last: Published | null,
): Handover {
  const transfer: ArrayBuffer[] = []
  const copyOf = (bytes: Uint8Array<ArrayBuffer>) => {
    const copy = new Uint8Array(bytes)
    transfer.push(copy.buffer)
    return copy
  }
  const copied = (form: ReadyForm): ReadyForm => ({ ...form, bytes: copyOf(form.bytes) })
  const givenAway = ({ plain, gzip, br }: ReadyAnswer): ReadyAnswer => ({
    plain: copied(plain),
    gzip: copied(gzip),
    br: br === null ? null : copied(br),
  })
  const changed = Object.fromEntries(
    (['status', 'recommendations', 'health', 'stats'] as const).flatMap((name) =>
      last?.payloads[name] === payloads[name] ? [] : [[name, givenAway(payloads[name])]],
    ),
  ) as Partial<Payloads>
  return {
    publication: {
      payloads: changed,
      gauges: gaugeSamplesOf(snapshot, context),
      sampledAt: snapshot.sampledAt,
      readiness: readinessOf(snapshot),
      ...(last?.ifStalled === ifStalled
        ? {}
        : { ifStalled: { ...ifStalled, health: givenAway(ifStalled.health) } }),
    },
    transfer,
  }
}

/** What is shown when no snapshot follows this one. Made now, because a pipeline that hangs can no longer make it. */
export function ifStalledOf(published: Omit<Published, 'ifStalled'>): IfStalled {
  const { snapshot, context } = published
  const stalled = stalledSnapshot(snapshot)
  const valuesBefore = new Map(
    gaugeSamplesOf(snapshot, context).map(({ name, samples }) => [name, JSON.stringify(samples)]),
  )
  const gauges: readonly GaugeSamples[] = gaugeSamplesOf(stalled, context).filter(
    ({ name, samples }) => valuesBefore.get(name) !== JSON.stringify(samples),
  )
  return {
    health: encodeJson(healthView(stalled, context)),
    inStatus: { before: healthInStatus(snapshot.health), after: healthInStatus(stalled.health) },
    gauges,
  }
}

/** The members of a status summary about health, as JSON. They cannot occur inside a text of the document, where quotes are escaped. */
function healthInStatus({ state, actions }: Published['snapshot']['health']): string {
  return `"healthState":${JSON.stringify(state)},"healthActionCount":${actions.length}`
}
