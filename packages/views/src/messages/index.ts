export {
  type ActionCondition,
  actionConditions,
  clauseOf,
  keyFileConditions,
  storeConditions,
  type Words,
} from './conditions/index.ts'
export { anAccountText, countedAccountsText } from './names/provider-names.ts'
