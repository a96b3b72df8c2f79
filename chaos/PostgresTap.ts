/**
 * A way to PostgreSQL on which one statement can be stopped: before it gets there, or after it was executed and before its
 * answer is back. It reads the protocol (version 3, without TLS) as far as it must to tell statements and their answers apart.
 */
import { connect, createServer, type Socket } from "node:net"
import { Effect, type Scope } from "effect"

/** Statements are matched by their text. */
export interface Trap {
  /** `after` with rows: one that returns none is let through, and the next one is waited for. */
  readonly when: "before" | "after" | "after with rows"
  readonly isSuch: (statement: string) => boolean
}

export interface PostgresTap {
  /** The url, through the tap. */
  readonly through: (url: string) => string
  /** Asks `caught` about the next such statement, once: if it says so, statement and connection are stopped for good. */
  readonly set: (trap: Trap, caught: () => boolean) => void
  readonly unset: () => void
  /** Until the scope closes, nothing passes in either direction, and connections are accepted all the same. */
  readonly silence: Effect.Effect<void, never, Scope.Scope>
}

/** Codes in the place of a protocol version: TLS, GSS, and a cancellation come before, or instead of, a session. */
const NOT_A_SESSION = new Set([80_877_102, 80_877_103, 80_877_104])

const HEADER_BYTES = 5
const text = (bytes: Buffer, from: number): string => bytes.toString("utf8", from, bytes.indexOf(0, from))

const typeOf = (message: Buffer): string => String.fromCharCode(message[0] ?? 0)

/** Splits a half of the protocol into messages. `isOpen`: whether what comes first has a type already. */
const makeSplitter = (isOpen: boolean) => {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk: Buffer): ReadonlyArray<Buffer> => {
    rest = Buffer.concat([rest, chunk])
    const messages: Array<Buffer> = []
    for (;;) {
      // The first message of a session has no type before its length.
      const offset = isOpen ? 1 : 0
      if (rest.length < offset + 4) return messages
      const end = offset + rest.readUInt32BE(offset)
      if (rest.length < end) return messages
      if (!isOpen) isOpen = !NOT_A_SESSION.has(rest.readUInt32BE(4))
      messages.push(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}

/** Knows what each message executes; a prepared statement is executed by its name. */
const makeReader = () => {
  const prepared = new Map<string, string>()
  return (message: Buffer): string | undefined => {
    switch (typeOf(message)) {
      case "Q":
        return text(message, HEADER_BYTES)
      case "P": {
        const name = text(message, HEADER_BYTES)
        prepared.set(name, text(message, HEADER_BYTES + Buffer.byteLength(name) + 1))
        return undefined
      }
      case "B": {
        const portal = text(message, HEADER_BYTES)
        return prepared.get(text(message, HEADER_BYTES + Buffer.byteLength(portal) + 1))
      }
      default:
        return undefined
    }
  }
}

interface Armed {
  readonly trap: Trap
  readonly caught: () => boolean
}

/** State that the connections share. */
interface Tap {
  /** Port of the server. */
  readonly port: number
  armed: Armed | undefined
  readonly sockets: Set<Socket>
  isSilent: boolean
}

/** Passes the messages of a connection on until the trap catches one. */
const serve = (tap: Tap, client: Socket): void => {
  const server = connect({ host: "127.0.0.1", port: tap.port })
  const [splitClient, splitServer] = [makeSplitter(false), makeSplitter(true)]
  const read = makeReader()
  let isStopped = false
  // Statements may be sent before earlier ones are answered; the n-th answer is the n-th statement's. The login counts.
  let asked = 1
  let answered = 0
  let watched: { readonly armed: Armed; readonly answer: number; readonly held: Array<Buffer> } | undefined

  for (const socket of [client, server]) {
    tap.sockets.add(socket)
    if (tap.isSilent) socket.pause()
    socket.setNoDelay(true)
    // Whatever ends one half ends the other.
    socket.on("error", () => undefined)
    socket.on("close", () => {
      tap.sockets.delete(socket)
      client.destroy()
      server.destroy()
    })
  }

  const onStatement = (statement: string): void => {
    const found = tap.armed?.trap.isSuch(statement) === true ? tap.armed : undefined
    if (found === undefined || watched !== undefined) return
    tap.armed = undefined
    if (found.trap.when === "before") isStopped = found.caught()
    else watched = { armed: found, answer: asked, held: [] }
  }

  client.on("data", (chunk: Buffer) => {
    for (const message of splitClient(chunk)) {
      const statement = isStopped ? undefined : read(message)
      if (statement !== undefined) onStatement(statement)
      if (isStopped) return
      if (["Q", "S"].includes(typeOf(message))) asked += 1
      server.write(message)
    }
  })

  /** The watched statement was executed: its answer goes nowhere, unless it is not the one that is waited for. */
  const onAnswer = ({ armed: found, held }: NonNullable<typeof watched>): void => {
    watched = undefined
    const isSuch = found.trap.when === "after" || held.some((message) => typeOf(message) === "D")
    if (isSuch) isStopped = found.caught()
    else tap.armed ??= found
    if (!isStopped) for (const message of held) client.write(message)
  }

  server.on("data", (chunk: Buffer) => {
    for (const message of splitServer(chunk)) {
      if (isStopped) return
      const isEnd = typeOf(message) === "Z"
      if (watched !== undefined && answered === watched.answer) {
        watched.held.push(message)
        if (isEnd) onAnswer(watched)
      } else client.write(message)
      if (isEnd) answered += 1
    }
  })
}

/** Listens on loopback until the scope closes; connects to `port` there for each client. */
export const start = Effect.fn("PostgresTap.start")(function* (
  port: number
): Effect.fn.Return<PostgresTap, never, Scope.Scope> {
  const tap: Tap = { port, armed: undefined, sockets: new Set(), isSilent: false }
  const listener = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const listening = createServer((client) => serve(tap, client))
      listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
    }),
    (listening) =>
      Effect.sync(() => {
        listening.close()
        for (const socket of tap.sockets) socket.destroy()
      })
  )
  const address = listener.address()
  const own = address !== null && typeof address === "object" ? address.port : 0

  return {
    through: (url) => {
      const changed = new URL(url)
      changed.port = String(own)
      return changed.href
    },
    set: (trap, caught) => {
      tap.armed = { trap, caught }
    },
    unset: () => {
      tap.armed = undefined
    },
    silence: Effect.acquireRelease(
      Effect.sync(() => {
        tap.isSilent = true
        for (const socket of tap.sockets) socket.pause()
      }),
      () =>
        Effect.sync(() => {
          tap.isSilent = false
          for (const socket of tap.sockets) socket.resume()
        })
    )
  }
})
