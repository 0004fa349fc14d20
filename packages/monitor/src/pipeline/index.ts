export { pipelineHere, servePipelineThread } from './pipeline-thread.ts'
