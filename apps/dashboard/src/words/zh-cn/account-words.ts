import { spaced } from '@svc/views/format/zh-cn'
import type { accountWords as english } from '../account-words.ts'

/** Words for the details of an account, in simplified Chinese. */
export const accountWords: typeof english = {
  rankOf: (rank, routable) => `${routable} 个可路由账号中的第 ${rank} 个`,
  noScore: (isDisabled) => `${isDisabled ? '停用' : '受阻'}期间没有评分`,
  why: '评分依据',
  whyBlocked: '受阻原因',
  components: {
    capacity: '容量',
    health: '健康',
    plan: '套餐',
    load: '负载',
    reclaim: '作废',
  },
  noPoints: {
    plan: '其套餐不计入容量',
    load: '其窗口已在计时',
    unread: '其窗口尚未读取',
    reclaim: '一小时内没有配额作废',
  },
  componentHeads: ['组成', '条形', '得分', '原因'],
  sum: '合计',
  windowsTitle: '窗口',
  otherLimits: '其他限制',
  resetsAt: (moment, span) => spaced`${moment}重置，${span}后`,
  resetUnconfirmed: '其重置时间已过，尚无读数确认。',
  unitsOf: (units, weight) => `${units} / ${weight}。`,
  notes: {
    derived: '厂商省略了为零的用量：在没有请求否定之前按满额计。',
    sources_disagree: '厂商的两个数字不一致；以用量较多的为准。',
  },
  unreported: '厂商没有报告此账号的这项配额。',
  blockedModels: '现在不可用的模型',
  subscription: '订阅',
  paid: {
    running: paidUntil,
    ends_soon: paidUntil,
    last_day: paidUntil,
    ended: (when, span) => spaced`已于${when}到期，${span}前`,
    renewed: (when) => spaced`已于${when}到期，但仍可使用，新的到期时间未知`,
  },
  asOfLogin: '以其登录信息为准；续订后，下次登录才会显示。',
  asOfLoginAt: (span) => spaced`以其${span}前的登录信息为准；续订后，下次登录才会显示。`,
  lastDay: '最近 24 小时',
  tokensShare: (tokens, share) => spaced`${tokens}（占账号池${share}）`,
  requestsFailed: (requests, failed) =>
    failed === null ? `${requests}，均未失败` : `${requests}，失败 ${failed}`,
  forScripts: '供脚本使用',
  copyNamed: (name) => `复制 ${name}`,
  diagnosticProbe: '诊断探测',
  probeStates: {
    unknown: '尚未探测。',
    ok: '正常，启用后即可使用',
    exhausted: '登录有效，配额已用尽',
    auth_invalid: '登录被拒绝',
    error: '查询失败',
  },
  probeResult: '结果',
  probeAt: '探测时间',
  probeHttp: 'HTTP',

  courseTitle: '走势',
  courseNoStore:
    '没有记录。请在配置中设置 `state_db = "history.db"`，或用 `--state-db <path>` 启动。',
  courseEmpty: (window) => `${window}：此范围内没有记录。`,
  courseLabel: (window, range) => `${window}配额，${range}`,
  courseReset: '重置',
  courseUnexpectedReset: '未预告的重置',
  courseUnproven: '重置之后，未确认',
  courseTable: (points, resets) => `${points} 个读数，${resets} 次重置`,
  courseHeads: ['时间', '内容', '详情'],
}

function paidUntil(when: string, span: string): string {
  return spaced`将于${when}到期，还有${span}`
}
