import type { Catalogue } from '../en/catalogue.ts'

/** Why queries of quota did not succeed, in Chinese. */
export const queries: Catalogue['queries'] = {
  refreshFailures: {
    quota_off: '直接配额查询已关闭：请设置 quota_transport。',
    deadline: '耗时过长。',
  },
  disabledProbe: {
    auth_invalid: '厂商拒绝了登录。',
    error: '查询失败。',
  },
}
