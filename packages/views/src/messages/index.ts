export {
  type ActionCondition,
  actionConditions,
  clauseOf,
  keyFileConditions,
  storeConditions,
  type Words,
} from './conditions/index.ts'
