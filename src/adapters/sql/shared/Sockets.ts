/**
 * Sockets to PostgreSQL that break when the server stops answering. A stopped server keeps its connections open, so a
 * statement on one of them would wait without an end, and so would the `COMMIT` or `ROLLBACK` that follows it.
 */
import * as Net from "node:net"
import { Duplex } from "node:stream"
import { Duration, Effect, Redacted } from "effect"

const SECOND = 1_000

/** Interval between checks. A socket breaks at most this much after the limit. */
const CHECK_MILLIS = 250

/** Detects a peer that vanished, such as a database host that lost power. */
const KEEP_ALIVE_MILLIS = 30 * SECOND

/** A socket, and the number of checks since it was written to without an answer. -1: nothing is awaited. */
interface Watched {
  readonly socket: Net.Socket
  unansweredChecks: number
}

/** Connection options of a URL in libpq's form, and true if the connection may be encrypted. */
const target = (url: URL): { readonly options: Net.NetConnectOpts; readonly mayEncrypt: boolean } => {
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, "$1"))
  const port = Number(url.searchParams.get("port") ?? (url.port || "5432"))
  const sslMode = url.searchParams.get("sslmode") ?? "disable"
  return {
    options: host.startsWith("/")
      ? { path: `${host}/.s.PGSQL.${port}` }
      : {
          host: host || "localhost",
          port,
          // A statement is one write and then a wait for its answer, so there is nothing to coalesce.
          noDelay: true,
          keepAlive: true,
          keepAliveInitialDelay: KEEP_ALIVE_MILLIS
        },
    mayEncrypt: sslMode !== "disable"
  }
}

/** Encryption takes over the socket that it is given, and its writes would bypass the check. They pass through this stream. */
const passing = (socket: Net.Socket): Duplex => {
  const stream = new Duplex({
    read: () => socket.resume(),
    write: (chunk, _, done) => socket.write(chunk, done),
    final: (done) => socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    }
  })
  socket.on("data", (chunk) => {
    if (!stream.push(chunk)) socket.pause()
  })
  socket.on("end", () => stream.push(null))
  socket.on("error", (error) => stream.destroy(error))
  socket.on("close", () => stream.destroy())
  return stream
}

/**
 * Makes the function that opens a socket to the server of `url`. A socket that was written to and receives nothing for
 * `limit` is destroyed with an error. The limit is counted in checks and not read off a clock, so that a process that was
 * itself suspended does not blame the server for it.
 */
export const make = Effect.fnUntraced(function* (url: Redacted.Redacted, limit: Duration.Duration) {
  const open = new Set<Watched>()
  const limitChecks = Math.ceil(Duration.toMillis(limit) / CHECK_MILLIS)

  const check = () => {
    for (const watched of open) {
      if (watched.unansweredChecks < 0) continue
      watched.unansweredChecks++
      if (watched.unansweredChecks > limitChecks) {
        watched.socket.destroy(new Error(`no answer within ${Duration.toSeconds(limit)} s`))
      }
    }
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(check, CHECK_MILLIS)),
    (timer) => Effect.sync(() => clearInterval(timer))
  )

  return (): Duplex => {
    const { mayEncrypt, options } = target(new URL(Redacted.value(url)))
    const socket = Net.connect(options)
    const watched: Watched = { socket, unansweredChecks: -1 }
    open.add(watched)
    socket.on("close", () => open.delete(watched))
    socket.on("data", () => {
      watched.unansweredChecks = -1
    })
    const write = socket.write.bind(socket)
    Object.assign(socket, {
      write: (...args: Parameters<typeof write>) => {
        if (watched.unansweredChecks < 0) watched.unansweredChecks = 0
        return write(...args)
      }
    })
    return mayEncrypt ? passing(socket) : socket
  }
})
