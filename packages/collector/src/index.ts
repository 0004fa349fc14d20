export { type KeyFileReading, keyFromText, readKeyFile } from './files/management-key-source.ts'
export { createFleetSource, type FleetOptions, type FleetSource } from './fleet/fleet-source.ts'
export type { UpstreamOptions } from './fleet/member.ts'
export { createLiveSource, type LiveSource } from './live-source.ts'
export type { CollectorReport } from './polling/collector-report.ts'
export { knownProviders } from './providers/known-providers.ts'
export type { CallTrace } from './proxy/call-trace.ts'
export { createOwnSecrets, type OwnSecrets } from './proxy/own-secrets.ts'
export { connectResp } from './proxy/resp-connection.ts'
export type { SchedulerPlugin } from './proxy/scheduler-plugin.ts'
export { type AskedStore, noAskedStore } from './quota/asked-notes.ts'
export { type RecorderName, recorders } from './recorders/recorders.ts'
export { readBenchmarkSummary } from './sources/benchmark.ts'
export { clientLabelsIn, readClientLabels } from './sources/client-labels.ts'
export type { LiveSourceDeps, LiveSourceOptions } from './sources/source-options.ts'
export { queriedProviders } from './transports/quota-transport.ts'
export {
  createUpstreamInspector,
  type Inspected,
  type UpstreamInspector,
} from './upstream-inspector.ts'
export { type AccountDirectory, noAccounts } from './usage/account-directory.ts'
export { decodeQueue, decodeTree } from './usage/usage-decoder.ts'
export { refusedBySink, type TreeSink, type UsageSink } from './usage/usage-sink.ts'
