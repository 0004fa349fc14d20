export {
  type ActionCondition,
  actionConditions,
  clauseOf,
  keyFileConditions,
  noAccountsWords,
  storeConditions,
  type Words,
} from './conditions/index.ts'
export { countedAccountsText } from './names/provider-names.ts'
export { sourceRemedy } from './source-words.ts'
