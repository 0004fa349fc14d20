import { cutToSize, failedWith, type Kind, wholeText } from './kind.ts'

const TEXT_MAX = 4_096

/**
 * Telegram bot. Its address is `https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>`, optionally with other parameters of
 * `sendMessage`, for example `message_thread_id`. Without `parse_mode` the text has no mark-up. Source:
 * https://core.telegram.org/bots/api#sendmessage
 */
export const telegram: Kind = {
  accepts: ({ pathname, searchParams }) =>
    /\/bot[^/]+\/sendmessage$/i.test(pathname) && (searchParams.get('chat_id') ?? '') !== '',
  post(message, address) {
    const parameters = { ...Object.fromEntries(address.searchParams), parse_mode: undefined }
    const url = new URL(address)
    url.search = ''
    const text = cutToSize(wholeText(message), TEXT_MAX)
    return { url, json: { ...parameters, text, link_preview_options: { is_disabled: true } } }
  },
  failureIn({ ok, error_code, parameters }) {
    if (ok !== false) return null
    if (error_code !== 429) return failedWith(Number(error_code) >= 500 ? 'unavailable' : 'refused')
    const { retry_after } = (parameters ?? {}) as { readonly retry_after?: unknown }
    const seconds =
      typeof retry_after === 'number' && retry_after > 0 ? Math.min(retry_after, 3600) : null
    return { code: 'throttled', retryAfterSeconds: seconds }
  },
}
