/** A node at the other end of a WebSocket, without a network. */
import { Layer } from "effect"
import { Socket } from "effect/socket"

/** A socket that opens, and then does what `react` does with the first frame that it is sent. */
export class ScriptedSocket extends EventTarget {
  readyState = 0
  readonly #react: (socket: ScriptedSocket) => void
  constructor(react: (socket: ScriptedSocket) => void) {
    super()
    this.#react = react
    queueMicrotask(() => {
      this.readyState = 1
      this.dispatchEvent(new Event("open"))
    })
  }
  send() {
    queueMicrotask(() => this.#react(this))
  }
  say(message: unknown) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }))
  }
  end(reason: string) {
    this.readyState = 3
    this.dispatchEvent(new CloseEvent("close", { code: 1_000, reason }))
  }
  close() {
    this.readyState = 3
  }
}

/** Replaces each WebSocket by one that `react` scripts. */
export const scriptedSockets = (react: (socket: ScriptedSocket) => void): Layer.Layer<Socket.WebSocketConstructor> =>
  Layer.succeed(Socket.WebSocketConstructor, () => new ScriptedSocket(react) as unknown as WebSocket)
