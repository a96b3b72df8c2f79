/** Builders whom the console owes money, and a chain for them. */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  keccak256,
  multicall3Abi,
  stringToHex
} from "viem"
import type { Hash, Hex } from "../../../src/domain/Hex.ts"
import type { CallRequest, Receipt } from "../../../src/ports/shared/Chains.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, CHAIN_ID, field, text, TOKEN, wallet } = Harness

export const hashOf = (name: string): Hash => keccak256(stringToHex(name))

/** Answer to a Multicall3 call of balances, all of which are `amount`. */
const balancesOf = (amount: bigint, data: Hex): Hex => {
  const { args, functionName } = decodeFunctionData({ abi: multicall3Abi, data })
  if (functionName !== "aggregate3") return assert.fail(functionName)
  const returnData = encodeAbiParameters([{ type: "uint256" }], [amount])
  const result = args[0].map(() => ({ success: true, returnData }))
  return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result })
}

/** A chain whose receipts a test writes, by transaction, and whose accounts have 1,000 of each token. */
export const makeChain = () => {
  const receipts = new Map<Hash, Receipt>()
  const node = {
    receipt: (hash: Hash) => Effect.sync(() => Option.fromUndefinedOr(receipts.get(hash))),
    block: () =>
      Effect.succeed(
        Option.some({
          number: 100n,
          hash: hashOf("head"),
          parentHash: hashOf("parent"),
          timestamp: 0n,
          baseFeePerGas: 0n,
          gasLimit: 0n
        })
      ),
    call: ({ data }: CallRequest) => Effect.sync(() => balancesOf(1_000n, data))
  }
  return { node, receipts }
}

let registered = 0

/** A builder that is owed `amount` of a token, if any. */
export const builderOwed = Effect.fnUntraced(function* (amount: bigint, token = TOKEN) {
  registered += 1
  const id = `console_${String(registered).padStart(3, "0")}`
  const payoutAddress = wallet().address
  const answer = yield* asAdmin("POST /admin/builders", {
    body: { id, name: `Console ${registered}`, builderBps: 10, maxBuilderBps: 50, payoutAddress, payoutMode: "ledger" }
  })
  assert.strictEqual(answer.status, 201)
  if (amount > 0n) {
    const body = { builderId: id, sweepId: `${id}_sweep`, token, amount: amount.toString(), chainId: CHAIN_ID }
    assert.strictEqual((yield* asAdmin("POST /accruals", { body })).status, 201)
  }
  return { id, payoutAddress, apiKey: text(answer, "apiKey") }
})

export const owedTo = (id: string) =>
  Effect.map(asAdmin(`GET /builders/${id}/accruals`), (a) => field(a, "balances", 0, "amount"))
