/** TCP ports of this machine. */
import { createSocket, type Socket } from "node:dgram"
import { createServer } from "node:net"
import { Effect, Random } from "effect"

/**
 * Ports below those that the kernel gives out by itself (from 32768 on Linux, from 49152 elsewhere). So neither an outgoing
 * connection nor a listener on port 0 takes a port between the time it is found and the time it is bound, or while its server
 * restarts.
 */
const RANGE = { first: 10_000, last: 32_767 }

const HOST = "127.0.0.1"

/** A machine on which this many random ports are taken has none to give. */
const ATTEMPTS = 1_000

/** Reservations of this process. Only a socket that is referenced is certain to stay open. */
const reserved = new Set<Socket>()

/** Binds the UDP port of this number: a lock that processes share, and that ends with its process. */
const lock = (port: number): Effect.Effect<Socket | undefined> =>
  Effect.callback<Socket | undefined>((resume) => {
    const socket = createSocket("udp4")
    socket.once("error", () => resume(Effect.sync(() => void socket.close())))
    socket.bind({ address: HOST, port, exclusive: true }, () => {
      // It must not keep the process alive.
      socket.unref()
      resume(Effect.succeed(socket))
    })
  })

const isFree = (port: number): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen({ host: HOST, port, exclusive: true }, () => {
      server.close(() => resume(Effect.succeed(true)))
    })
  })

/**
 * Reserves a port of the loopback interface until this process ends. False where something listens on it, or where another call
 * has reserved it, in this process or in another one.
 */
export const reserve = Effect.fnUntraced(function* (port: number) {
  const socket = yield* lock(port)
  if (socket === undefined) return false
  if (yield* isFree(port)) {
    reserved.add(socket)
    return true
  }
  socket.close()
  return false
})

/** A free port of the loopback interface, reserved until this process ends. */
export const free: Effect.Effect<number> = Effect.gen(function* () {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = yield* Random.nextIntBetween(RANGE.first, RANGE.last)
    if (yield* reserve(port)) return port
  }
  return yield* Effect.die(new Error(`no port of ${ATTEMPTS} between ${RANGE.first} and ${RANGE.last} is free`))
})
