import type { Socket } from 'node:net'
import type { FakeState } from './fake-state.ts'

/** Unread bytes after which a slow subscriber is cut off. */
const UNREAD_BYTES_MAX = 4_300_000

/** Answers the commands of RESP2 on a connection to the proxy's port. See docs/upstream.md#usage-by-subscription. */
export function answerResp(state: FakeState, socket: Socket): void {
  const { gate, now, settings, usage, stats } = state
  const address = socket.remoteAddress ?? ''
  let pending = ''
  let isKnown = false
  let unsubscribe: (() => void) | null = null

  // As Go does by default: a record is not held back until the last one is acknowledged.
  socket.setNoDelay(true)
  const send = (wire: string) => void socket.write(wire, 'latin1')
  /** Passes the key check; counts a missing or wrong key towards the ban. */
  const refusal = (key: string | null): string | null => {
    const answer = gate.decide({
      address,
      key,
      expectedKey: settings.managementKey,
      management: settings.management,
    })
    if (answer.kind === 'accepted') return null
    if (answer.banned) stats.bannedRequests += 1
    else stats.refusedRequests += 1
    return answer.error === 'missing management key'
      ? '-NOAUTH Authentication required.\r\n'
      : failed(answer.error)
  }

  const follow = () => {
    send(array(bulk('subscribe'), bulk('usage'), ':1\r\n') + message('{"support_refresh":true}'))
    unsubscribe = usage.subscribe(
      (json) => {
        if (socket.writableLength > UNREAD_BYTES_MAX) socket.destroy()
        if (socket.destroyed) return false
        send(message(json))
        return true
      },
      () => socket.end(),
    )
  }

  const popped = (channel: string, count: string | undefined): string => {
    if (channel.toLowerCase() !== 'usage') return failed(`unsupported channel '${channel}'`)
    if (count !== undefined && !/^[1-9]\d{0,8}$/.test(count))
      return failed('value is not an integer or out of range')
    const records = usage.take(Number(count ?? 1), now(), settings.queueRetentionSeconds)
    return count === undefined ? bulk(records[0] ?? null) : array(...records.map(bulk))
  }

  const answer = ([name = '', ...words]: readonly string[]): string => {
    const command = name.toUpperCase()
    if (command === 'AUTH') {
      const refused = refusal(words.at(-1) ?? null)
      isKnown ||= refused === null
      return refused ?? '+OK\r\n'
    }
    if (!isKnown) return refusal(null) ?? '+OK\r\n'
    if (unsubscribe !== null) {
      if (command === 'PING') return array(bulk('pong'), bulk(words[0] ?? null))
      if (command !== 'UNSUBSCRIBE' && command !== 'QUIT') return unknown(name)
      unsubscribe()
      socket.end(
        command === 'QUIT' ? '+OK\r\n' : array(bulk('unsubscribe'), bulk('usage'), ':0\r\n'),
      )
      return ''
    }
    if (command === 'LPOP' || command === 'RPOP') return popped(words[0] ?? '', words[1])
    if (command !== 'SUBSCRIBE') return unknown(name)
    const [channel] = words
    if (channel === undefined || words.length > 1)
      return failed(`wrong number of arguments for 'subscribe' command`)
    if (channel !== 'usage') return failed(`unsupported channel '${channel}'`)
    follow()
    return ''
  }

  socket.on('data', (chunk) => {
    if (settings.management === 'disabled') return void socket.destroy()
    pending += chunk.toString('latin1')
    for (let next = commandIn(pending); next !== null; next = commandIn(pending)) {
      pending = pending.slice(next.length)
      send(
        settings.resp === 'refused' ? failed('RESP AUTH disabled; use mTLS') : answer(next.words),
      )
    }
  })
  socket.on('error', () => undefined)
  socket.on('close', () => unsubscribe?.())
}

/** The first command of a text as its words, and the characters it takes; null if it is not whole. */
function commandIn(
  text: string,
): { readonly words: readonly string[]; readonly length: number } | null {
  const head = /^\*(\d+)\r\n/.exec(text)
  if (head === null) return null
  const words: string[] = []
  let at = head[0].length
  for (let count = Number(head[1]); count > 0; count -= 1) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at))
    if (size === null) return null
    const start = at + size[0].length
    at = start + Number(size[1]) + 2
    if (text.length < at) return null
    words.push(Buffer.from(text.slice(start, at - 2), 'latin1').toString())
  }
  return { words, length: at }
}

const failed = (error: string) => `-ERR ${error}\r\n`
const unknown = (name: string) => failed(`unknown command '${name.toLowerCase()}'`)
const array = (...items: readonly string[]) => `*${items.length}\r\n${items.join('')}`
const message = (json: string) => array(bulk('message'), bulk('usage'), bulk(json))

/** A bulk string, each character one byte of its UTF-8. */
function bulk(text: string | null): string {
  if (text === null) return '$-1\r\n'
  const bytes = Buffer.from(text).toString('latin1')
  return `$${bytes.length}\r\n${bytes}\r\n`
}
