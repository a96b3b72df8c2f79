/** A settled order with a route of CCTP, whose bridge, chains and service say what a test wants. */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import * as CctpDeposit from "../../../src/adapters/bridge/CctpDeposit.ts"
import * as CctpMessage from "../../../src/adapters/bridge/CctpMessage.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import type { Log } from "../../../src/ports/shared/Chains.ts"
import { orderOf } from "../../ports/orchestrator/Bridge.suite.ts"
import { attested, CONTRACTS, DOMAINS, mintLogs, request, scene, sentLog } from "./cctpScene.ts"
import * as FakeEnds from "./fakeEnds.ts"

export const BURN = FakeEnds.hash(0xd)
export const MINT = FakeEnds.hash(0xf111)
export const OTHER = FakeEnds.hash(0xf222)
export const AMOUNT = 999_700_000n

export const nonceOf = (number: number): Hash => numberToHex(number, { size: 32 })

export const settled = Effect.fnUntraced(function* () {
  const { bridge, ends, history, keys, stub } = yield* scene()
  const route = yield* bridge.route(request)
  const deposit = Option.getOrThrow(CctpDeposit.decode(route.calldata))
  const sent = CctpMessage.of(
    {
      sourceDomain: DOMAINS.source,
      destinationDomain: DOMAINS.destination,
      messenger: CONTRACTS.source.messenger,
      transmitter: CONTRACTS.source.transmitter,
      destinationMessenger: CONTRACTS.destination.messenger,
      destinationTransmitter: CONTRACTS.destination.transmitter
    },
    deposit
  )
  const message = attested(sent, nonceOf(7), 300_000n)
  const look = (nonce = 0n, logs = [sentLog(sent, BURN)]) =>
    bridge.delivery({
      sourceChainId: request.sourceChainId,
      order: { ...orderOf(request, route), nonce },
      receipt: FakeEnds.receiptOf(BURN, 50n, logs)
    })
  const mint = (logs: ReadonlyArray<Log> = mintLogs(message, MINT, AMOUNT), blockNumber = 60n, tx = MINT) =>
    ends.receipts.set(tx, FakeEnds.receiptOf(tx, blockNumber, logs))
  /** Circle's API is asked, and what it says is not enough. The clock restores the budget of requests. */
  const isPending = Effect.gen(function* () {
    const before = (yield* stub.seen).length
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* look())._tag, "Pending")
    assert.lengthOf(yield* stub.seen, before + 1)
  })
  /** Names an order among all orders. */
  const nameOf = (nonce: bigint) => `${request.sourceChainId}:${request.depositor}:${nonce}`
  return { ends, history, isPending, keys, look, message, mint, nameOf, sent, stub }
})

export const DELIVERED = { _tag: "Delivered", txHash: MINT, amountOut: AMOUNT } as const
