/** TCP ports of this machine. */
import { createServer } from "node:net"
import { Effect } from "effect"

/** A free port of the loopback interface. Another process may take it before the caller does. */
export const free: Effect.Effect<number> = Effect.callback<number>((resume) => {
  const server = createServer()
  server.on("error", (error) => resume(Effect.die(error)))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() =>
      resume(
        address !== null && typeof address === "object"
          ? Effect.succeed(address.port)
          : Effect.die(new Error("the listening socket has no port"))
      )
    )
  })
})
