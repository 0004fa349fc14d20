import { cutToSize, type Kind, wholeText } from './kind.ts'

const TEXT_MAX = 2_000
const SUPPRESS_EMBEDS = 4

/**
 * A webhook of a Discord channel. Mentions and mark-up in the text are disabled. Source:
 * https://discord.com/developers/docs/resources/webhook#execute-webhook
 */
export const discord: Kind = {
  post(message, address) {
    const content = escaped(cutToSize(wholeText(message), TEXT_MAX, (part) => escaped(part).length))
    return {
      url: address,
      json: { content, allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS },
    }
  },
}

function escaped(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#]|^[-+]/gm, '\\$&')
}
