import { createServer, type Server } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import * as Ports from "../../src/devnet/Ports.ts"

/** Listens until the scope closes. */
const listen = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Server, Error>((resume) => {
      const server = createServer()
      server.once("error", (error) => resume(Effect.fail(error)))
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close())
  )

it.effect("a port is given out once, and can be bound", () =>
  Effect.gen(function* () {
    const ports = yield* Effect.all(
      Array.from({ length: 100 }, () => Ports.free),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(new Set(ports), ports.length)
    for (const port of ports) {
      // The kernel gives these to nobody by itself.
      assert.isAtMost(port, 32_767)
      assert.isFalse(yield* Ports.reserve(port))
    }
    const [port = 0] = ports
    yield* Effect.scoped(listen(port))
    yield* Effect.scoped(listen(port))
  })
)

it.effect("a port on which something listens is not given out until it is closed", () =>
  Effect.gen(function* () {
    const port = yield* Effect.scoped(
      Effect.gen(function* () {
        // No other test binds such a port by accident.
        const server = yield* Random.nextIntBetween(10_000, 32_767).pipe(
          Effect.flatMap(listen),
          Effect.retry({ times: 20 })
        )
        const address = server.address()
        const taken = address !== null && typeof address === "object" ? address.port : 0
        assert.isFalse(yield* Ports.reserve(taken))
        return taken
      })
    )
    assert.isTrue(yield* Ports.reserve(port))
  })
)

it.effect("a port that another process has reserved is not given out until that process ends", () =>
  Effect.gen(function* () {
    const path = JSON.stringify(new URL("../../src/devnet/Ports.ts", import.meta.url).pathname)
    const program = `
      import { Effect } from "effect"
      import * as Ports from ${path}
      console.log(await Effect.runPromise(Ports.free))
      setInterval(() => undefined, 1_000)`
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" })),
      (child) => Effect.sync(() => void child.kill())
    )
    const reader = other.stdout.getReader()
    const { value } = yield* Effect.promise(() => reader.read())
    const port = Number(new TextDecoder().decode(value))
    assert.isAbove(port, 0)
    assert.isFalse(yield* Ports.reserve(port))
    other.kill()
    yield* Effect.promise(() => other.exited)
    assert.isTrue(yield* Ports.reserve(port))
  }).pipe(Effect.scoped)
)
