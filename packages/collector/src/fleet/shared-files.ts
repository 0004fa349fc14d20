import type { SharedReadings } from '@svc/core/service'
import { createOpenFilesWatch } from '../files/open-secret-files.ts'
import { createBenchmarkSource } from '../sources/benchmark.ts'
import { createClientLabelsSource } from '../sources/client-labels.ts'
import type { SourceListeners } from '../sources/source.ts'
import type { LiveSourceDeps, LiveSourceOptions } from '../sources/source-options.ts'

interface SharedOptions extends Pick<LiveSourceOptions, 'benchmark'> {
  readonly usage: Pick<LiveSourceOptions['usage'], 'clientLabelsFile'>
}

/** Files on this machine that are read once for all proxies. */
export function createSharedFiles(
  { usage: { clientLabelsFile }, benchmark }: SharedOptions,
  deps: SourceListeners & Pick<LiveSourceDeps, 'usageSink'>,
) {
  const sources = {
    client_labels: createClientLabelsSource({ path: clientLabelsFile, sink: deps.usageSink }, deps),
    benchmark: createBenchmarkSource(benchmark.benchmarkSummary, deps),
  }
  const all = Object.values(sources)
  const openFiles = createOpenFilesWatch({ clientLabelsFile, authDir: null }, deps)
  return {
    readings: (): SharedReadings => ({
      client_labels: sources.client_labels.reading(),
      benchmark: sources.benchmark.reading(),
    }),
    /** Shared secret files that every user of this machine can read. */
    openFiles: openFiles.open,
    start() {
      for (const source of all) source.start()
      openFiles.start(() => deps.onChange())
    },
    reload() {
      for (const source of all) source.reload()
    },
    async stop() {
      openFiles.stop()
      await Promise.all(all.map((source) => source.stop()))
    },
  }
}
