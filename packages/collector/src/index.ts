export type { CollectorReport } from './collector-report.ts'
export { createLiveSource, type LiveSource, type LiveSourceDeps, type LiveSourceOptions } from './live-source.ts'
export { type KeyFileReading, readKeyFile } from './local-files.ts'
