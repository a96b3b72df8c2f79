/** Heads by subscription to a real node, over a connection that is cut and restored. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Ref, Schedule, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as EvmChains from "../../../../src/adapters/evm/chains/Chains.ts"
import { Chains } from "../../../../src/ports/shared/Chains.ts"
import * as FaultProxy from "../../../support/FaultProxy.ts"
import { OneChain } from "../../../support/OneChain.ts"

interface Line {
  readonly url: string
  /** Ends every connection, and accepts no other until `restore`. */
  readonly cut: Effect.Effect<void>
  readonly restore: Effect.Effect<void>
  /** Number of connections that were accepted. */
  readonly connections: Effect.Effect<number>
}

/** A TCP connection to a node's port that can be cut. */
const lineTo = (target: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { hostname, port } = new URL(target)
      let isCut = false
      let accepted = 0
      const open = new Set<{ end: () => void }>()
      interface Pipe {
        upstream?: Promise<{ write: (data: Uint8Array) => number; end: () => void }>
      }
      const server = Bun.listen<Pipe>({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          open: (socket) => {
            socket.data = {}
            if (isCut) {
              socket.end()
              return
            }
            accepted++
            open.add(socket)
            socket.data.upstream = Bun.connect({
              hostname,
              port: Number(port),
              socket: {
                data: (_, data) => {
                  socket.write(data)
                },
                close: () => {
                  socket.end()
                }
              }
            })
          },
          data: (socket, data) => {
            const sent = new Uint8Array(data)
            void socket.data.upstream?.then((upstream) => upstream.write(sent))
          },
          close: (socket) => {
            open.delete(socket)
            void socket.data.upstream?.then((upstream) => upstream.end())
          }
        }
      })
      const line: Line = {
        url: `ws://127.0.0.1:${server.port}/`,
        cut: Effect.sync(() => {
          isCut = true
          for (const socket of open) socket.end()
        }),
        restore: Effect.sync(() => {
          isCut = false
        }),
        connections: Effect.sync(() => accepted)
      }
      return { line, server }
    }),
    ({ server }) => Effect.sync(() => server.stop(true))
  ).pipe(Effect.map(({ line }) => line))

const until = <E>(condition: Effect.Effect<boolean, E>) =>
  Effect.repeat(condition, { schedule: Schedule.spaced("20 millis"), until: (isTrue) => isTrue })

layer(OneChain.layer, { excludeTestServices: true })("heads by subscription", (it) => {
  it.effect("replace polling, which goes on while the connection is cut, and come back with it", () =>
    Effect.gen(function* () {
      const { node, chain, rpcUrl } = yield* OneChain
      const line = yield* lineTo(rpcUrl)
      const proxy = yield* FaultProxy.start(rpcUrl)
      const evm = yield* Layer.build(
        EvmChains.layer([{ chain, rpcUrls: [proxy.url], wsUrl: line.url }]).pipe(Layer.provide(FetchHttpClient.layer))
      )
      const client = yield* Effect.provide(
        Effect.flatMap(Chains, ({ get }) => get(chain.id)),
        evm
      )
      assert.strictEqual(yield* line.connections, 0)

      const newest = yield* Ref.make(0n)
      yield* Effect.forkScoped(Stream.runForEach(client.heads, ({ number }) => Ref.set(newest, number)))
      const mine = node.ask("mine", (client) => client.mine({ blocks: 1 }).then(() => client.getBlockNumber()))
      /** Mines until the stream has a new head. */
      const follow = Effect.gen(function* () {
        const number = yield* mine
        yield* until(Effect.map(Ref.get(newest), (head) => head >= number))
      })
      const polls = Effect.map(
        proxy.calls,
        (calls) => calls.filter(({ method }) => method === "eth_getBlockByNumber").length
      )
      /** Mines until heads come without polls. */
      const subscribed = until(
        Effect.gen(function* () {
          const before = yield* polls
          yield* follow
          yield* follow
          return (yield* polls) === before
        })
      )

      yield* subscribed
      assert.strictEqual(yield* line.connections, 1)
      // Polls that were due before the subscription may still come, on a busy machine for a while.
      yield* until(
        Effect.gen(function* () {
          const first = yield* polls
          for (let block = 0; block < 20; block++) yield* follow
          return (yield* polls) <= first + 2
        })
      )
      const quiet = yield* polls
      const head = yield* client.recentHead(0)
      assert.strictEqual(head._tag === "Some" && head.value.number, yield* Ref.get(newest))
      assert.strictEqual(yield* polls, quiet)

      yield* line.cut
      yield* until(Effect.map(polls, (now) => now > quiet))
      const asked = yield* polls
      for (let block = 0; block < 3; block++) yield* follow
      assert.isAbove(yield* polls, asked)

      yield* line.restore
      yield* subscribed
      assert.isAtLeast(yield* line.connections, 2)
    })
  )
})
