import type { unitNames as english } from '../en/unit-name.ts'

export const unitNames: typeof english = {
  plus: 'Plus',
  pro: 'Pro',
  accounts: '个账号',
  mixed: '单位',
}
