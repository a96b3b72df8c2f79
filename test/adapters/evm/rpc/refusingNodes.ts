/** Nodes that refuse for the rate of requests, and reads at them. */
import type { Fiber } from "effect"
import { Clock, Effect } from "effect"
import { keccak256 } from "viem"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { type Node, pass } from "./scriptedNodes.ts"

export const balance: Node = (method) =>
  method === "eth_sendRawTransaction" ? { result: keccak256("0x01") } : { result: "0x10" }

export const ask = (client: ChainClient) => client.balance(address(1))

/** Lets the clock run in steps until the fiber has ended, and returns the time. */
export const runOut = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  while (fiber.pollUnsafe() === undefined) yield* pass("100 millis")
  return yield* Clock.currentTimeMillis
})

export const asked = (log: ReadonlyArray<string>, method = "eth_getBalance") =>
  log.filter((line) => line.endsWith(method)).map((line) => line.split(" ")[0])
