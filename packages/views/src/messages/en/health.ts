import type { Tone } from '@svc/core'
import { countedText } from '../../format/format.ts'

const states: Readonly<Record<Tone, string>> = {
  good: 'Good',
  warn: 'Warn',
  bad: 'Bad',
  unknown: 'Unknown',
}

/** Headings of the health payload, and its state in a line. */
export const health = {
  title: 'Health',
  actions: 'Needs you',
  sources: 'Sources',
  recentChanges: 'Recent changes',
  /** The worst action by its title, and how many more there are. */
  worst: (title: string, moreCount: number) =>
    moreCount === 0 ? `${title}.` : `${title}, and ${moreCount} more.`,
  nothingToDo: 'Nothing to do.',
  waiting: 'Waiting for the first reading.',
  sourceTrouble: 'Nothing to do yet, but a source has trouble.',
  actionCount: (count: number) => countedText(count, 'action'),
  states,
  times: ({ count, since }: { readonly count: number; readonly since: string }) =>
    `${count} times since ${since}`,
}
