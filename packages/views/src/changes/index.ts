export { afterSteps, MisfitError, type StatusStep } from './apply-changes.ts'
export { statusVersionIn } from './status-version.ts'
