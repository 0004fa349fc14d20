import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock, Redacted } from '@svc/core/service'
import { createRespDecoder, encodeCommand, RespError, type RespReply } from '../wire/resp.ts'
import { type CallLimits, withinDeadline } from './request.ts'
import { banIn, UpstreamError, upstreamErrorOf } from './upstream-error.ts'

/** A connection to the port of the proxy that speaks RESP and has shown its key. */
export type RespConnection = ReturnType<typeof overSocket>

/** Connects and shows the key; nothing is sent before it. Throws UpstreamError: `unsupported` where the proxy speaks no RESP. */
export async function connectResp(
  upstreamUrl: string,
  { key, ...limits }: CallLimits & { readonly key: Redacted },
  clock: Clock,
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

function overSocket(socket: Socket, clock: Clock) {
  const decode = createRespDecoder()
  const waiting: { answer(reply: RespReply): void; fail(error: UpstreamError): void }[] = []
  let onReplies = (_: readonly RespReply[]) => {}

  const ended = new Promise<UpstreamError | null>((resolve) => {
    socket.once('error', (error) => resolve(upstreamErrorOf(error)))
    socket.once('close', () => resolve(null))
  })
  let ending: UpstreamError | null = null
  // Not a race against `ended`, which would keep every answer for as long as the connection stands.
  void ended.then((failure) => {
    ending = failure ?? new UpstreamError('unreachable', 'the connection ended')
    for (const { fail } of waiting.splice(0)) fail(ending)
  })
  socket.on('data', (chunk: Uint8Array) => {
    try {
      const replies = decode(chunk)
      for (const reply of replies) waiting.shift()?.answer(reply)
      onReplies(replies)
    } catch {
      socket.destroy(new UpstreamError('unsupported', 'the answer is not RESP'))
    }
  })

  return {
    /** Resolves once the connection has ended: with its failure, or null if all was read that the other side had sent, and after `close`. */
    ended,
    /** Sends a command and resolves with the next answer. Throws UpstreamError; an answer that is an error leaves the connection open. */
    async ask(words: readonly string[], limits: CallLimits): Promise<RespReply> {
      const send = (answer: (reply: RespReply) => void, fail: (error: UpstreamError) => void) => {
        if (ending !== null) return fail(ending)
        waiting.push({ answer, fail })
        socket.write(encodeCommand(...words))
      }
      try {
        const reply = await withinDeadline(clock, limits, () => new Promise(send))
        if (!(reply instanceof RespError)) return reply
        throw refusalOf(reply)
      } catch (error) {
        const failure = upstreamErrorOf(error)
        // A later answer would be taken for that of the next command.
        if (failure.httpStatus === null) socket.destroy(failure)
        throw failure
      }
    },
    /** Has the answers of each read passed on from now on; `ask` then resolves with whatever comes next. */
    follow(listener: typeof onReplies) {
      onReplies = listener
    },
    /** Stops reading, so that the proxy holds back what it sends. */
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.destroy(),
  }
}

/** The refusal with the status of its like over HTTP. See docs/upstream.md#usage-by-subscription. */
function refusalOf({ message }: RespError): UpstreamError {
  const ban = banIn(message.replace(/^ERR /, ''), { httpStatus: 403 })
  if (ban !== null) return ban
  return /^NOAUTH|invalid management key/.test(message)
    ? new UpstreamError('unauthorized', 'the proxy refused the management key', { httpStatus: 401 })
    : new UpstreamError('unsupported', 'the proxy refuses this command', { httpStatus: 400 })
}
