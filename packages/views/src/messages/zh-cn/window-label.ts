import { durationText } from '../../format/chinese-times.ts'
import { createWindowLabel } from '../names/window-label.ts'

/** A window as shown: `5 小时`, `每周`, `Code review 每周`. */
export const windowLabel = createWindowLabel({
  own: {
    '5h': '5 小时',
    day: '每天',
    week: '每周',
    month: '每月',
    spend: '消费上限',
    limit: '上限',
  },
  durationText,
  ofScope: (scope, label) => `${scope} ${label}`,
})
