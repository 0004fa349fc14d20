import { Gauge, Registry } from 'prom-client'
import { type GaugeSamples, snapshotGauges } from './metric-families.ts'

/** Gauges of the snapshot. Their text is made with the snapshot, so that no scrape of a large pool pays for it. */
export interface PublishedGauges {
  /** Takes the values of a publication and begins their text, so that it is ready for the next scrape. */
  publish(gauges: readonly GaugeSamples[]): void
  /** The text of the last publication; without values before the first. */
  text(): Promise<string>
}

export function createPublishedGauges(prefix: string): PublishedGauges {
  const registry = new Registry()
  const gauges = new Map(
    snapshotGauges.map(({ name, help, labels = [] }) => [
      name,
      {
        isLabelled: labels.length > 0,
        gauge: new Gauge({
          name: prefix + name,
          help,
          labelNames: [...labels],
          registers: [registry],
        }),
      },
    ]),
  )
  let made = registry.metrics()

  return {
    publish(values) {
      for (const { name, samples } of values) {
        const known = gauges.get(name)
        if (known === undefined) continue
        const { gauge, isLabelled } = known
        // A label set that is gone must not keep its last value.
        if (isLabelled) gauge.reset()
        else gauge.remove()
        for (const { labels, value } of samples) gauge.set(labels ?? {}, value)
      }
      made = registry.metrics()
      // A failure meets the scrape that asks for the text.
      made.catch(() => undefined)
    },
    text: () => made,
  }
}
