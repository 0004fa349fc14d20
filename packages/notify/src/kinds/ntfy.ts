import { bytesOf, cutToSize, type Kind } from './kind.ts'

// ntfy.sh makes an attachment of a message above 4,096 bytes, and takes no JSON above twice that.
const TITLE_BYTES_MAX = 250
const TEXT_BYTES_MAX = 3_500
const HIGH = 4
const DEFAULT = 3

/**
 * ntfy topic, published as JSON. Its address is, for example, `https://ntfy.sh/my-topic`; a login in the address, or `?auth=…`, is sent as
 * ntfy requires. Source: https://docs.ntfy.sh/publish/
 */
export const ntfy: Kind = {
  accepts: ({ pathname }) => /^\/[\w-]{1,64}$/.test(pathname),
  post({ title, text, isUrgent }, address) {
    const url = new URL(address)
    url.pathname = '/'
    const json = {
      topic: address.pathname.slice(1),
      title: cutToSize(title, TITLE_BYTES_MAX, bytesOf),
      message: cutToSize(text, TEXT_BYTES_MAX, bytesOf),
      priority: isUrgent ? HIGH : DEFAULT,
    }
    return { url, json }
  },
}
