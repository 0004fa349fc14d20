import { bytesOf, cutToSize, failedWith, type Kind, wholeText } from './kind.ts'

/** Size limit of a text, below the 20 KB that a body may have. */
const TEXT_BYTES_MAX = 18_000
const TOO_OFTEN = 11_232

/**
 * A custom bot of Feishu or Lark, with a keyword or a list of addresses but without a signature. A failure comes with status 200 and a `code`.
 * Source: https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
 */
export const feishu: Kind = {
  post(message, address) {
    // `<at user_id="all">` in a text would call everybody.
    const text = cutToSize(wholeText(message).replaceAll('<', '＜'), TEXT_BYTES_MAX, bytesOf)
    return { url: address, json: { msg_type: 'text', content: { text } } }
  },
  failureIn({ code }) {
    if (typeof code !== 'number' || code === 0) return null
    return failedWith(code === TOO_OFTEN ? 'throttled' : 'refused')
  },
}
