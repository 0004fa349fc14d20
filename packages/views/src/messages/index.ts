export type { ActionCondition } from './conditions/conditions.ts'
export { clauseOf, firstClauseOf, storeCondition, type Words } from './conditions/conditions.ts'
export { actionConditions } from './en/health-actions.ts'
export {
  databaseConditions,
  isStoreError,
  storeConditions,
  storeErrorText,
} from './en/history-failures.ts'
export { countedAccountsText } from './en/names.ts'
export { notifyConditions } from './en/notices.ts'
export { noAccountsWords } from './en/pool-actions.ts'
export { keyFileConditions } from './en/source-failures.ts'
export { schedulers as schedulerWords } from './en/sources.ts'
export { usedUpText } from './en/statuses.ts'
export { unitNames, unitNoun } from './en/unit-name.ts'
export { sourceRemedy } from './source-words.ts'
export { catalogueOf } from './wording.ts'
