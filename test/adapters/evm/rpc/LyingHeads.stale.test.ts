/** One of two endpoints contradicts the confirmed block, and names an old head. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, numberToHex, stringToHex, zeroHash } from "viem"
import { look } from "../../../../src/orchestrator/shared/ChainView.ts"
import { network, type Node } from "./scriptedNodes.ts"

/** The newest block, whose number is its time in seconds. */
const HEAD = 10_000

/** Blocks above it are other ones at the liar. */
const KNOWN = 9_000

const header = (number: number, isMade = false, timestamp = number) => ({
  number: numberToHex(number),
  hash: keccak256(stringToHex(`${isMade ? "made " : ""}${number}`)),
  parentHash: zeroHash,
  timestamp: numberToHex(timestamp),
  gasLimit: "0x1"
})

const honest: Node = (method, [which]) =>
  method === "eth_blockNumber"
    ? { result: numberToHex(HEAD) }
    : { result: header(which === "latest" ? HEAD : Number(which)) }

const liarAt =
  (height: number, timestamp: number): Node =>
  (method, [which]) => {
    if (method === "eth_blockNumber") return { result: numberToHex(height) }
    if (which === "latest") return { result: header(height, false, timestamp) }
    return { result: header(Number(which), Number(which) > KNOWN) }
  }

describe("a look at a chain", () => {
  it.effect("is not held back in silence by an endpoint that names an old head", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(HEAD * 1_000)
      for (const [height, timestamp] of [
        [KNOWN, KNOWN],
        [1, 1],
        // The time of a head that only one endpoint names may be any.
        [KNOWN, HEAD],
        [1, HEAD]
      ] as const) {
        const failure = yield* network({ honest, liar: liarAt(height, timestamp) }).use((client) =>
          Effect.flip(look({ ...client, chain: { ...client.chain, confirmations: 3 } }))
        )
        assert.isTrue(failure.isContradiction)
      }
    })
  )
})
