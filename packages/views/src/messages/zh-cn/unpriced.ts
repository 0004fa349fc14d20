import type { Catalogue } from '../en/catalogue.ts'

/** Why tokens have no price, in simplified Chinese. */
export const unpriced: Catalogue['unpriced'] = {
  classes: '记录没有区分输入、缓存和输出。',
  model: '价格文件和自定价格中都没有此模型。',
  tier: '没有该服务等级的价格。',
  band: '价格文件中的条目被拒绝：它按其他输入长度分段。',
  zero: '价格文件中的条目被拒绝：价格为零。',
  rate: '价格文件中的条目被拒绝：价格无效。',
}
