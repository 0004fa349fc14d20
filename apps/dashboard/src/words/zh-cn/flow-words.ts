import type { flowWords as english } from '../flow-words.ts'
import { spaced } from './spaced.ts'

/** Texts of the chart of past quota and coming resets, in simplified Chinese. */
export const flowWords: typeof english = {
  reader: (window) => `${window}，按时间`,
  units: (amount) => `${amount} Plus`,
  left: (moment, units) => `${moment}：剩余 ${units} Plus`,
  coming: (moment, units) => `${moment}：如果不使用，为 ${units} Plus`,
  unknown: (moment) => `${moment}：未知`,
  since: (moment) => spaced`自${moment}起保留`,
  dryAt: (clock) => spaced`${clock}耗尽`,
  dryNote: (clock) => spaced`；按此速度约${clock}耗尽`,
}
