/** The catalogue of what can go wrong: a row for each code. */

export { blockedText } from './blocked-reasons.ts'
export {
  type ActionCondition,
  actionConditions,
  healthActionCodes,
  noAccountsWords,
} from './health-actions.ts'
export { storeConditions } from './history-failures.ts'
export { keyFileConditions } from './key-file-problems.ts'
export { sourceConditions } from './source-failures.ts'
export { clauseOf, type Words } from './words.ts'
