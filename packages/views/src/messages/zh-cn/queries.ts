import type { Catalogue } from '../en/catalogue.ts'

export const queries: Catalogue['queries'] = {
  refreshFailures: {
    quota_off: '直接配额查询已关闭：请设置 quota_transport。',
    deadline: '耗时过长。',
    cancelled: '已取消。',
    no_direct_quota: '无法查询此账号的配额。',
    vendor_asks_to_wait: '厂商要求暂不查询此账号。',
    asked_lately: '不到一分钟前刚向厂商查询过此账号。',
  },
  disabledProbe: {
    auth_invalid: '厂商拒绝了登录。',
    error: '查询失败。',
  },
}
