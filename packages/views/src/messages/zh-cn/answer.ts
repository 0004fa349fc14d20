import { countText } from '../../format/format.ts'
import { spaced } from '../../format/spaced.ts'
import type { Ending } from '../en/answer.ts'
import type { Catalogue } from '../en/catalogue.ts'

/** Sentences that say whether a big job may start now, in Chinese. */
export const answer: Catalogue['answer'] = {
  monitorSilent: (since) => spaced`尚不清楚：监控自 ${since} 起没有更新。`,
  notKnown: (missing) => `尚不清楚：${missing}。`,
  noQuotaRead: '还没有读取任何配额',
  reading: (round) => `尚不清楚：${readText(round)}。`,
  proxyDown: ({ answers, address, readAt, usable }) => {
    const proxy = address === null ? '代理' : spaced`代理 ${address} `
    const what = answers ? '无法读取账号列表' : `${proxy}没有响应`
    return readAt === null
      ? `${what}；还没有任何读数。`
      : spaced`${what}；最后的读数来自 ${readAt}${usable === null ? '' : spaced`，当时可用 ${usable}`}。`
  },
  wait: ({ until, units, unit }) => {
    if (until === null) return '没有账号可用，也不知道何时恢复。'
    return units === null
      ? spaced`请等到 ${until}。`
      : spaced`请等到 ${until}：届时恢复 ${units} ${unit}。`
  },
  hurry: ({ usable, unit, ending, nextReturn }) =>
    `可以，但不多：${[
      usable === null ? null : spaced`可用 ${usable} ${unit}`,
      dryText(ending),
      nextReturn === null ? '没有已知的恢复时间' : spaced`下次恢复在 ${nextReturn}`,
    ]
      .filter((part) => part !== null)
      .join('，')}。`,
  go_short: (going) => goText(going),
  go: (going) => goText(going),
  several: ({ count, ableCount, able, others }) => {
    const group = (named: readonly string[], total: number) =>
      [...named, ...(total > named.length ? [spaced`另外 ${total - named.length} 个`] : [])].join(
        '、',
      )
    const texts = [group(able, ableCount), group(others, count - ableCount)]
      .filter((text) => text !== '')
      .join('；')
    return spaced`${countText(count)} 个提供商中 ${countText(ableCount)} 个可用${texts === '' ? '' : `：${texts}`}。`
  },
  dated: (sentence, at) => spaced`${sentence.slice(0, -1)}；读数来自 ${at}，代理尚未响应。`,
  short: {
    going: (ending) =>
      ending.kind === 'unknown'
        ? '可用'
        : ending.kind === 'rough'
          ? hoursText(ending)
          : spaced`可用到 ${ending.at}${ending.kind === 'beyond' ? ' 以后' : ''}`,
    dry: (ending) => dryText(ending)?.replace('约 ', '') ?? '将耗尽',
    wait: (until) => (until === null ? '恢复时间未知' : spaced`${until} 恢复`),
    beingRead: '正在读取',
    notKnown: '尚不清楚',
    proxyDown: '代理没有响应',
  },
}

type Going = Parameters<Catalogue['answer']['go']>[0]

function readText({ readCount, toReadCount, doneAt }: NonNullable<Going['round']>): string {
  return spaced`已读取账号 ${countText(readCount)} / ${countText(toReadCount)}${doneAt === null ? '' : spaced`，约 ${doneAt} 完成`}`
}

function goText({ usable, unit, first, ending, atLeast, round }: Going): string {
  const parts = [
    usable === null ? null : spaced`现在${atLeast ? '至少' : ''}可用 ${usable} ${unit}`,
    spaced`先用 ${first}`,
    lastsText(ending),
  ]
  const text = `可以。${parts.filter((part) => part !== null).join('，')}`
  return round === null ? `${text}。` : `${text}；${readText(round)}。`
}

function lastsText(ending: Ending): string | null {
  switch (ending.kind) {
    case 'unknown':
      return null
    case 'rough':
      return spaced`可持续 ${hoursText(ending)}`
    case 'until':
      return spaced`约可用到 ${ending.at}`
    default:
      return spaced`可用到 ${ending.at} 以后`
  }
}

function dryText(ending: Ending): string | null {
  if (ending.kind === 'rough') return spaced`${hoursText(ending)}后耗尽`
  return ending.kind === 'until' ? spaced`约 ${ending.at} 耗尽` : null
}

function hoursText({ fromHours, toHours }: Extract<Ending, { readonly kind: 'rough' }>): string {
  return toHours === null ? `${fromHours} 小时以上` : `${fromHours} 至 ${toHours} 小时`
}
