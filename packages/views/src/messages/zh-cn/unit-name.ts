import type { unitNames as english, unitNoun as englishNoun } from '../en/unit-name.ts'

export const unitNames: typeof english = {
  plus: 'Plus',
  pro: 'Pro',
  accounts: '个账号',
  mixed: '单位',
}

export const unitNoun: typeof englishNoun = (_, unit) => unitNames[unit]
