import { spaced } from '@svc/views/format/zh-cn'
import type * as english from '../question-words.ts'

/** Texts of the filters and the chosen time of usage, in simplified Chinese. */
export const questionWords: typeof english.questionWords = {
  andBy: '再按',
  noSecond: '不再分组',
  outcome: '结果',
  outcomes: {
    ok: '成功',
    failed: '失败',
    auth: '401、403',
    limit: '429',
    vendor: '500–599',
    other: '其他失败',
  },
  anyOutcome: '全部',
  filters: {
    account: '账号',
    client: '客户端',
    model: '模型',
    result: '结果',
    status: '状态码',
  },
  shownOnly: '仅限',
  remove: (what) => spaced`移除${what}`,
  from: '从',
  to: '到',
  now: '现在',
  sinceFirst: '本月 1 日至今',
  lastMonth: '上个月',
  only: (name) => spaced`仅统计${name}`,
  alone: (name) => `${name}：只显示此线，或重新显示所有线`,
  coarser: '时段较宽：此项只保留了这样的数据。',
  widened: '起止为完整时段：只保留了这样的数据。',
  refused: {
    rows_gone: '未知：只能由单个请求得出，而该时段的单个请求已不再保留。请缩短时段或减少筛选。',
    too_many_requests:
      '未计算：只能由单个请求得出，而该时段的请求超过一百万。请缩短时段或减少筛选。',
    invalid_span: '该时段的结束早于开始，或在将来。请另选时段。',
  },
  shorten: (moment) => spaced`从${moment}开始`,
  facets: '同一用量的其他细分',
  causes: '请求失败的原因',
  causeHeads: ['状态码与代码', '请求', '账号', '最近一天'],
  causesNote: (more, isOfAll) =>
    [
      ...(more > 0 ? [`另有 ${more} 个原因。`] : []),
      '按 UTC 整日统计。',
      ...(isOfAll ? ['包括所有客户端和模型：原因不按这些统计。'] : []),
    ].join(''),
}
