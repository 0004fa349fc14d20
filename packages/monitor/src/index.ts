// The door of @svc/monitor: the pipeline as the server sees it, its ready answers, its log and what it counts.

export { encodeJson } from './answers/encode-json.ts'
export { createEventRing, type EventRing } from './answers/event-ring.ts'
export {
  REQUESTS_PER_PART,
  type RowsPart,
  type RowsRequest,
  type SeriesRequest,
} from './answers/history-questions.ts'
export type {
  FilteredPayload,
  FilteredReading,
  FilterValues,
  PickQuestion,
  Refusal,
  UnknownValue,
} from './answers/ready-answer.ts'
export {
  answerVersionOf,
  type Compression,
  payloadNames,
  type ReadyAnswer,
  type ReadyForm,
} from './answers/ready-answer.ts'
export * from './answers/response-headers.ts'
export type { HistoryAnswers } from './evaluation/history-answers.ts'
export { createRefreshJob } from './evaluation/refresh-job.ts'
export { createLog } from './log/log.ts'
export * from './metrics/event-counters.ts'
export { gaugeSamplesOf, snapshotGauges } from './metrics/metric-families.ts'
export type { GaugeSamples } from './metrics/snapshot-gauge.ts'
export {
  createPipelineClient,
  type PipelineClient,
} from './pipeline/pipeline-client.ts'
export { type PipelineStart, pipelineInThread } from './pipeline/pipeline-start.ts'
export type { PublishedMetrics } from './pipeline/shown-publication.ts'
export type { WorkerUrls } from './store/history.ts'
export { ReaderBusy } from './store/store-reader.ts'
export { ChannelError } from './threads/channel.ts'
