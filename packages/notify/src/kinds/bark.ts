import { bytesOf, cutToSize, failedWith, type Kind } from './kind.ts'

// Apple takes 4,096 bytes with everything that Bark adds.
const TITLE_BYTES_MAX = 250
const TEXT_BYTES_MAX = 2_500

/** Bark device. Its address is, for example, `https://api.day.app/<key>`. Source: https://github.com/Finb/bark-server */
export const bark: Kind = {
  accepts: ({ pathname }) => pathname.length > 1,
  post({ title, text, isUrgent }, address) {
    const json = {
      title: cutToSize(title, TITLE_BYTES_MAX, bytesOf),
      body: cutToSize(text, TEXT_BYTES_MAX, bytesOf),
      group: 'svc-quota-monitor',
      level: isUrgent ? 'timeSensitive' : 'active',
    }
    return { url: address, json }
  },
  failureIn: ({ code }) => (typeof code === 'number' && code >= 400 ? failedWith('refused') : null),
}
