import type { DeliveredNotice, Message } from '@svc/core/notify'
import type { NotifyWords } from './delivery.ts'
import type { WordedMessage } from './kinds/kind.ts'

export function worded(message: Message, receiver: string, words: NotifyWords): WordedMessage {
  const notices = message.notices.map(tidied)
  const isOpen = ({ endsAt }: DeliveredNotice) => endsAt === null
  const openCount = notices.filter(isOpen).length
  const mark = notices.length > 1 ? '• ' : ''
  const lines = notices.flatMap((notice) => linesOf(notice, mark, words))
  if (message.omittedCount > 0) lines.push(words.omitted(message.omittedCount))
  return {
    message: { ...message, notices },
    receiver,
    title: words.heading(openCount, notices.length - openCount),
    text: lines.join('\n'),
    isUrgent: notices.some((notice) => isOpen(notice) && notice.tone === 'bad'),
  }
}

function linesOf(notice: DeliveredNotice, mark: string, words: NotifyWords): readonly string[] {
  const { title, upstream, times, endsAt, summary, remedy } = notice
  const place = upstream === undefined ? '' : ` [${upstream}]`
  const often = times > 1 ? ` (${words.times(times)})` : ''
  if (endsAt !== null) return [`${mark}${words.resolved}: ${title}${place}${often}`]
  return [
    `${mark}${title}${place}${often}`,
    ...[summary, remedy ?? ''].filter((line) => line !== ''),
  ]
}

/** Account names come from outside: removes line breaks, signs that change the direction of text, and halves of characters. */
function tidied(notice: DeliveredNotice): DeliveredNotice {
  const tidy = (text: string) => text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]|\p{Bidi_Control}/gu, ' ')
  const { title, summary, remedy } = notice
  const texts = { title: tidy(title), summary: tidy(summary) }
  return { ...notice, ...texts, ...(remedy === undefined ? {} : { remedy: tidy(remedy) }) }
}
