export { collectAuthFile, collectStore } from './collect/configured.ts'
export { makeFolder } from './files/places.ts'
export { type CollectedValues, createCollectedValues } from './known/collected-values.ts'
export { RedactError } from './redact-error.ts'
export {
  type Progress,
  type RedactedEntry,
  type RedactOutcome,
  redactFiles,
} from './run/redact-run.ts'
