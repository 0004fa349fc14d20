export { pipelineHere } from './pipeline-here.ts'
export { servePipelineThread } from './pipeline-thread.ts'
