import { cutToSize, failedWith, type Kind, wholeText } from './kind.ts'

/** Length above which Slack may cut a text; each of the three characters that must be escaped counts once. */
const TEXT_MAX = 4_000

/** An incoming webhook of Slack, or of a server with the same API. Source: https://api.slack.com/messaging/webhooks */
export const slack: Kind = {
  post(message, address) {
    const text = cutToSize(wholeText(message), TEXT_MAX)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
    return { url: address, json: { text, mrkdwn: false, unfurl_links: false, link_names: false } }
  },
  // Slack itself answers `ok` or a status; servers that are like it may answer as its API does.
  failureIn: ({ ok }) => (ok === false ? failedWith('refused') : null),
}
