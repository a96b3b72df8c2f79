/** One of two endpoints names a head that the chain does not have, and the confirmed block with it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { keccak256, numberToHex, stringToHex, zeroHash } from "viem"
import { look } from "../../../../src/orchestrator/shared/ChainView.ts"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { network, type Node, pass } from "./scriptedNodes.ts"

/** Seconds by which the liar's blocks are in the future. */
const FUTURE = 1_000_000

const header = (number: number, isMade: boolean) => ({
  number: numberToHex(number),
  hash: keccak256(stringToHex(`${isMade ? "made " : ""}${number}`)),
  parentHash: zeroHash,
  timestamp: numberToHex(number + (isMade ? FUTURE : 0)),
  gasLimit: "0x1"
})

/** A node at a height that a test changes. It makes up the blocks above `makesAbove`. */
const nodeAt = (height: number, makesAbove = Number.POSITIVE_INFINITY) => {
  const state = { height, makesAbove }
  const node: Node = (method, params) => {
    if (method === "eth_blockNumber") return { result: numberToHex(state.height) }
    if (method !== "eth_getBlockByNumber") return { result: "0x10" }
    const number = params[0] === "latest" ? state.height : Number(params[0])
    return { result: number > state.height ? null : header(number, number > state.makesAbove) }
  }
  return { node, state }
}

const confirmedBy = (client: ChainClient, confirmations: number) =>
  Effect.map(
    look({ ...client, chain: { ...client.chain, confirmations } }),
    ({ confirmed }) => Option.getOrThrow(confirmed).number
  )

describe("the confirmed block", () => {
  it.effect("is not dictated by one of two endpoints at their first look", () =>
    Effect.gen(function* () {
      for (const lead of [50, 0xffff]) {
        for (const confirmations of [1, 3]) {
          const honest = nodeAt(1_000)
          const liar = nodeAt(1_000 + lead, 1_000)
          const { use } = network({ honest: honest.node, liar: liar.node })
          const failure = yield* use((client) => Effect.flip(confirmedBy(client, confirmations)))
          assert.isTrue(failure.isContradiction)
          assert.include(failure.message, "liar and honest")
        }
      }
    })
  )

  it.effect("is not dictated after a minute in which nobody looked", () =>
    Effect.gen(function* () {
      const honest = nodeAt(1_000)
      const liar = nodeAt(1_000)
      yield* network({ honest: honest.node, liar: liar.node }).use((client) =>
        Effect.gen(function* () {
          yield* confirmedBy(client, 3)
          yield* pass("61 seconds")
          honest.state.height = 1_060
          liar.state.height = 1_160
          liar.state.makesAbove = 1_060
          assert.isTrue((yield* Effect.flip(confirmedBy(client, 3))).isContradiction)
        })
      )
    })
  )

  it.effect("is one that both have if a liar is a little above", () =>
    Effect.gen(function* () {
      for (const [lead, confirmations] of [
        [1, 1],
        [2, 1],
        [2, 2]
      ] as const) {
        const { use } = network({ honest: nodeAt(1_000).node, liar: nodeAt(1_000 + lead, 1_000).node })
        assert.isAtMost(Number(yield* use((client) => confirmedBy(client, confirmations))), 1_000)
      }
    })
  )

  it.effect("goes on beside an endpoint that is some blocks behind, or alternates between nodes", () =>
    Effect.gen(function* () {
      for (const confirmations of [1, 3]) {
        const behind = nodeAt(1_000)
        const live = nodeAt(1_002)
        yield* network({ behind: behind.node, live: live.node }).use((client) =>
          Effect.gen(function* () {
            for (let second = 0; second < 20; second++) {
              const confirmed = yield* confirmedBy(client, confirmations)
              assert.isAtLeast(Number(confirmed), live.state.height - 10)
              behind.state.height += second % 2 === 0 ? 3 : -1
              live.state.height += 1
              yield* pass("1 second")
            }
          })
        )
      }
    })
  )

  it.effect("goes on beside an endpoint that hangs, after ten seconds", () =>
    Effect.gen(function* () {
      const hanging = nodeAt(1_000)
      const live = nodeAt(9_000)
      yield* network({ hanging: hanging.node, live: live.node }).use((client) =>
        Effect.gen(function* () {
          assert.isTrue((yield* Effect.flip(confirmedBy(client, 3))).isContradiction)
          for (let second = 0; second < 11; second++) {
            live.state.height += 1
            yield* pass("1 second")
            yield* Effect.ignore(client.block("latest"))
          }
          assert.strictEqual(yield* confirmedBy(client, 3), BigInt(live.state.height - 2))
        })
      )
    })
  )

  it.effect("is asked for once at an only endpoint, and not at all if it is the head", () =>
    Effect.gen(function* () {
      for (const [confirmations, requests] of [
        [1, 1],
        [3, 2]
      ] as const) {
        const { log, use } = network({ only: nodeAt(1_000).node })
        yield* use((client) => confirmedBy(client, confirmations))
        assert.lengthOf(
          log.filter((line) => line.endsWith("eth_getBlockByNumber")),
          requests
        )
      }
    })
  )
})
