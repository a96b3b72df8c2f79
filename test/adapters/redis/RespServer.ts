/**
 * A server that speaks enough of Redis's protocol (RESP 3) for tests on machines without Redis: `HELLO`, `SET` with an end, and `EVAL` of two
 * scripts, one that counts in a window and one that reads a value with its remaining time. It shows the client's connections, and gives the
 * answers and silences that a test wants. It does not run the script's text, which a real server does, see `SharedStore`.
 */
import * as Net from "node:net"
import { Effect } from "effect"

interface Window {
  count: number
  readonly endsAt: number
}

/** `holds`: keeps the answers, and gives them in the next mood that answers. */
export type Mood = "answers" | "refuses" | "silent" | "nonsense" | "holds"

/** Splits the arrays of bulk strings off the front of a text. Returns them, and the rest. */
const commandsOf = (
  text: string
): { readonly commands: ReadonlyArray<ReadonlyArray<string>>; readonly rest: string } => {
  const commands: Array<ReadonlyArray<string>> = []
  let rest = text
  for (;;) {
    let at = rest.indexOf("\r\n") + 2
    if (at === 1) return { commands, rest }
    const words: Array<string> = []
    for (let left = Number(rest.slice(1, at - 2)); left > 0; left--) {
      const end = rest.indexOf("\r\n", at)
      const length = end < 0 ? Number.NaN : Number(rest.slice(at + 1, end))
      if (!(rest.length >= end + 4 + length)) return { commands, rest }
      words.push(rest.slice(end + 2, end + 2 + length))
      at = end + 4 + length
    }
    commands.push(words)
    rest = rest.slice(at)
  }
}

/** Whole milliseconds, as those of Redis, so that sums and differences are exact. */
const clockMillis = () => Math.floor(performance.now())

/** Listens on a free port of loopback until the scope closes. */
export const start = Effect.gen(function* () {
  const windows = new Map<string, Window>()
  const values = new Map<string, { readonly value: string; readonly endsAt: number }>()
  const sockets = new Set<Net.Socket>()
  let mood: Mood = "answers"
  let connections = 0
  let held: Array<{ readonly socket: Net.Socket; readonly command: ReadonlyArray<string> }> = []

  const take = ([, , , key = "", tokens, limit, millis]: ReadonlyArray<string>) => {
    const now = clockMillis()
    const standing = windows.get(key)
    const window =
      standing !== undefined && standing.endsAt > now ? standing : { count: 0, endsAt: now + Number(millis) }
    windows.set(key, window)
    const count = window.count + Number(tokens)
    if (count <= Number(limit)) window.count = count
    return `*2\r\n:${count}\r\n:${window.endsAt - now}\r\n`
  }

  const set = ([, key = "", value = "", , millis]: ReadonlyArray<string>) => {
    values.set(key, { value, endsAt: clockMillis() + Number(millis) })
    return "+OK\r\n"
  }

  const recall = ([, , , key = ""]: ReadonlyArray<string>) => {
    const { endsAt = 0, value = "" } = values.get(key) ?? {}
    const left = endsAt - clockMillis()
    return left < 1 ? "*0\r\n" : `*2\r\n$${value.length}\r\n${value}\r\n:${left}\r\n`
  }

  /** Words of the script that reads a value. */
  const RECALLING = 4

  const answer = (command: ReadonlyArray<string>) => {
    if (mood === "refuses") return "-NOAUTH Authentication required.\r\n"
    if (command[0] === "HELLO") return "%1\r\n+proto\r\n:3\r\n"
    if (mood === "nonsense") return "+PONG\r\n"
    if (command[0] === "SET") return set(command)
    return command.length === RECALLING ? recall(command) : take(command)
  }

  const server = Net.createServer((socket) => {
    connections++
    sockets.add(socket)
    let received = ""
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
    socket.on("data", (chunk) => {
      const { commands, rest } = commandsOf(received + chunk.toString("latin1"))
      received = rest
      if (mood === "silent") return
      if (mood === "holds") held.push(...commands.map((command) => ({ socket, command })))
      else for (const command of commands) socket.write(answer(command), "latin1")
    })
  })
  const listen = (port: number) =>
    Effect.callback<void>((resume) => {
      server.listen(port, "127.0.0.1", () => resume(Effect.void))
    })
  const stop = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
  })
  yield* Effect.acquireRelease(listen(0), () => stop)
  const address = server.address()
  const port = address === null || typeof address === "string" ? 0 : address.port
  return {
    url: `redis://127.0.0.1:${port}/0`,
    connections: () => connections,
    /** Number of commands that wait for an answer. */
    held: () => held.length,
    behave: (next: Mood) => {
      mood = next
      if (next === "silent" || next === "holds") return
      for (const { command, socket } of held) socket.write(answer(command), "latin1")
      held = []
    },
    stop,
    restart: Effect.suspend(() => listen(port))
  }
})
