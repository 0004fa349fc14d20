import { createBlockedText } from '../conditions/blocked-text.ts'
import { spaced } from './spaced.ts'
import { windowLabel } from './window-label.ts'

/** Why an account must not be used, in a few words; its end is said beside it. In Chinese. */
export const blockedText = createBlockedText({
  own: {
    operator_disabled: '已由运维人员在代理上停用',
    auth_invalid: '登录被拒绝',
    status_invalid: '代理报告它不可用',
    upstream_retry_after: '代理暂缓使用它',
    cooldown: '收到配额提示，但未给出重置时间',
  },
  limitReached: (windowId) => spaced`${windowLabel(windowId)}触顶`,
  usedUp: (windowId) => spaced`${windowLabel(windowId)}配额已用尽`,
})
