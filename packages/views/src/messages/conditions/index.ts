/** The catalogue of what can go wrong: a row for each code. */

export type { ActionCondition } from './action-condition.ts'
export { blockedText } from './blocked-reasons.ts'
export { actionConditions, healthActionCodes } from './health-actions.ts'
export { storeConditions } from './history-failures.ts'
export { keyFileConditions } from './key-file-problems.ts'
export { noAccountsWords } from './pool-actions.ts'
export { sourceConditions } from './source-failures.ts'
export { clauseOf, type Words } from './words.ts'
