import { countedText, countText } from '../../format/format.ts'

/** Texts of outgoing messages and of their delivery. */
export const notices = {
  heading: (firing: number, resolved: number) => {
    const parts = [
      ...(firing > 0 ? [countedText(firing, 'problem')] : []),
      ...(resolved > 0 ? [`${countText(resolved)} over`] : []),
    ]
    return `svc-quota-monitor: ${parts.length === 0 ? 'news' : parts.join(', ')}`
  },
  resolved: 'Over',
  times: (count: number) => `${countText(count)} times since the last message`,
  omitted: (count: number) => `${countText(count)} more, too many to be sent one by one.`,
  test: 'This is a test: messages of svc-quota-monitor arrive here.',
  /** For example `4 Plus accounts`, for a message without names. */
  accountsOf: ({ count, plan }: { readonly count: number; readonly plan: string }) =>
    countedText(count, `${plan} account`),
  listOf: (parts: readonly string[]) => parts.join(', '),
  sentences: (parts: readonly string[]) => parts.join(' '),
  /** Replaces an address of this machine in a message without names. */
  someAddress: 'an address that other machines reach',
  nothingSent: 'Nothing has been sent yet.',
  lastSent: (when: string) => `Last sent ${when}.`,
  failsSince: (moment: string) => `It has failed since ${moment}.`,
  waiting: (count: number) =>
    count === 1 ? 'A message waits for the next attempt.' : `${countText(count)} messages wait.`,
  lost: (count: number) =>
    count === 1 ? 'One was given up.' : `${countText(count)} were given up.`,
}
