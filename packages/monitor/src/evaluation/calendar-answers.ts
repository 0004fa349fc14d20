import type { Snapshot } from '@svc/core'
import { resetsCalendar } from '@svc/views'
import { readyText } from '../answers/encode-json.ts'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import { CALENDAR_TYPE } from '../answers/response-headers.ts'

/** Creates the function that answers the calendar of resets, which is made on demand, once per snapshot. */
export function createCalendarAnswers(
  wording: Parameters<typeof resetsCalendar>[1],
): (snapshot: Snapshot) => ReadyAnswer {
  const made = new WeakMap<Snapshot, ReadyAnswer>()
  return (snapshot) => {
    const answer = made.get(snapshot) ?? readyText(resetsCalendar(snapshot, wording), CALENDAR_TYPE)
    made.set(snapshot, answer)
    return answer
  }
}
