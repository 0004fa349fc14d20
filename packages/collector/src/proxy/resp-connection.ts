import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock, Redacted } from '@svc/core/service'
import { createRespDecoder, encodeCommand, RespError, type RespReply } from '../wire/resp.ts'
import { type CallLimits, withinDeadline } from './request.ts'
import { banSecondsIn, UpstreamError, upstreamErrorOf } from './upstream-error.ts'

/** A connection to the port of the proxy that speaks RESP and has shown its key. */
export interface RespConnection {
  /** Sends a command and resolves with its answer. Throws UpstreamError; an answer that is an error leaves the connection open. */
  ask(words: readonly string[], limits: CallLimits): Promise<RespReply>
  /** Sends a command whose answers, and all that come later, go to `onReplies`, those of one read at once. */
  follow(words: readonly string[], onReplies: (replies: readonly RespReply[]) => void): void
  /** Sends a command without waiting for its answer. */
  send(words: readonly string[]): void
  /** Stops reading, so that the proxy holds back what it sends. */
  pause(): void
  resume(): void
  /** Resolves when the connection has ended, with the failure that ended it; null after `close`. */
  readonly ended: Promise<UpstreamError | null>
  close(): void
}

/** Connects and shows the key; nothing is sent before it. Throws UpstreamError: `unsupported` where the proxy speaks no RESP. */
export async function connectResp(
  upstreamUrl: string,
  key: Redacted,
  clock: Clock,
  limits: CallLimits,
): Promise<RespConnection> {
  const socket = openSocket(new URL(upstreamUrl))
  const connection = overSocket(socket, clock)
  try {
    await connection.ask(['AUTH', key.reveal()], limits)
    return connection
  } catch (error) {
    connection.close()
    const failure = upstreamErrorOf(error)
    // A proxy without a secret ends the connection without a word.
    throw failure.code === 'unreachable' && failure.wasSent && socket.bytesRead === 0
      ? new UpstreamError('management_disabled', 'the proxy ended the connection without a word')
      : failure
  }
}

/** Throws UpstreamError for an address with a path, behind which no port of the proxy is known. */
function openSocket({ protocol, hostname, port, pathname }: URL): Socket {
  if (pathname !== '/') throw new UpstreamError('unsupported', 'the address has a path')
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'http:') return connectPlain({ host, port: Number(port || 80) })
  // Without ALPN: the proxy answers HTTP to whoever names a protocol.
  const name = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({ host, port: Number(port || 443), ...name })
}

function overSocket(socket: Socket, clock: Clock): RespConnection {
  const decoder = createRespDecoder()
  const waiting: ((reply: RespReply) => void)[] = []
  let onReplies: ((replies: readonly RespReply[]) => void) | null = null
  let isClosed = false

  const ended = new Promise<UpstreamError | null>((resolve) => {
    socket.once('error', (error) => resolve(upstreamErrorOf(error)))
    socket.once('close', () =>
      resolve(isClosed ? null : new UpstreamError('unreachable', 'the connection ended')),
    )
  })
  socket.on('data', (chunk: Uint8Array) => {
    try {
      const replies = decoder.push(chunk)
      const answers = onReplies === null ? replies : []
      for (const reply of answers) waiting.shift()?.(reply)
      if (onReplies !== null && replies.length > 0) onReplies(replies)
    } catch {
      socket.destroy(new UpstreamError('unsupported', 'the answer is not RESP'))
    }
  })

  const send = (words: readonly string[]) => void socket.write(encodeCommand(...words))
  return {
    ended,
    send,
    async ask(words, limits) {
      const answer = new Promise<RespReply>((resolve) => waiting.push(resolve))
      send(words)
      const failed = ended.then((failure) => {
        throw failure ?? new UpstreamError('unreachable', 'the connection was closed')
      })
      const reply = await withinDeadline(clock, limits, () => Promise.race([answer, failed])).catch(
        (error: unknown) => {
          // A later answer would be taken for that of the next command.
          socket.destroy()
          throw error
        },
      )
      if (reply instanceof RespError) throw refusalOf(reply)
      return reply
    },
    follow(words, listener) {
      onReplies = listener
      send(words)
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close() {
      isClosed = true
      socket.destroy()
    },
  }
}

/** See docs/upstream.md#usage-by-subscription. */
function refusalOf({ message }: RespError): UpstreamError {
  const seconds = banSecondsIn(message.replace(/^ERR /, ''))
  if (seconds !== null)
    return new UpstreamError('banned', 'the proxy has banned this address', {
      httpStatus: 403,
      retryAfterSeconds: seconds,
    })
  if (/^NOAUTH|invalid management key/.test(message))
    return new UpstreamError('unauthorized', 'the proxy refused the management key', {
      httpStatus: 401,
    })
  return new UpstreamError('unsupported', 'the proxy refuses this command', { httpStatus: 400 })
}
