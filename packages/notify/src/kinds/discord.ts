import { cut, type Kind, wholeText } from './kind.ts'

const TEXT_MAX = 2_000
const SUPPRESS_EMBEDS = 4

/**
 * A webhook of a channel of Discord. No mention in the text reaches anybody, and no mark-up works. Source:
 * https://discord.com/developers/docs/resources/webhook#execute-webhook
 */
export const discord: Kind = {
  post(message, address) {
    const content = escaped(cut(wholeText(message), TEXT_MAX, (part) => escaped(part).length))
    return {
      url: address,
      json: { content, allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS },
    }
  },
}

function escaped(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#]|^[-+]/gm, '\\$&')
}
