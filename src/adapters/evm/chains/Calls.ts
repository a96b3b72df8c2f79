/** Executes calls at a node without sending anything: `eth_call` and `eth_simulateV1`. */
import { Effect } from "effect"
import { numberToHex } from "viem"
import { Hex } from "../../../domain/Hex.ts"
import { CallReverted, type CallRequest, type ChainClient } from "../../../ports/shared/Chains.ts"
import * as Receipts from "../codec/Receipts.ts"
import * as RpcErrors from "../rpc/Errors.ts"
import { type Node, tag } from "./Node.ts"

const callObject = (request: Omit<CallRequest, "block">) => ({
  to: request.to,
  data: request.data,
  ...(request.from === undefined ? {} : { from: request.from }),
  ...(request.value === undefined ? {} : { value: numberToHex(request.value) }),
  ...(request.gas === undefined ? {} : { gas: numberToHex(request.gas) }),
  ...(request.authorizationList === undefined || request.authorizationList.length === 0
    ? {}
    : {
        authorizationList: request.authorizationList.map(({ address, chainId, nonce, r, s, yParity }) => ({
          address,
          chainId: numberToHex(chainId),
          nonce: numberToHex(nonce),
          // Quantities: nodes refuse leading zeros.
          r: numberToHex(BigInt(r)),
          s: numberToHex(BigInt(s)),
          yParity: numberToHex(yParity)
        }))
      })
})

/** State override set of eth_call and eth_simulateV1; undefined without overrides. */
const stateOverrides = (overrides: Pick<CallRequest, "codeOverrides" | "balanceOverrides">) => {
  const accounts = new Map<string, { code?: Hex; balance?: Hex }>()
  for (const { address, code } of overrides.codeOverrides ?? []) accounts.set(address, { code })
  for (const { address, balance } of overrides.balanceOverrides ?? []) {
    accounts.set(address, { ...accounts.get(address), balance: numberToHex(balance) })
  }
  return accounts.size === 0 ? undefined : Object.fromEntries(accounts)
}

export const make = (node: Node): Pick<ChainClient, "call" | "simulate"> => {
  const { chain, decoded, failed, pool, read, unavailable, wellFormed } = node
  const asHex = decoded(Hex)

  const call: ChainClient["call"] = Effect.fnUntraced(function* ({ block: which = "pending", ...request }) {
    const overrides = stateOverrides(request)
    const params = [callObject(request), tag(which), ...(overrides === undefined ? [] : [overrides])]
    const answer = yield* pool
      .request("eth_call", params, {
        isAnswer: (failure) => failure._tag === "RpcError" && RpcErrors.isExecutionFailure(failure)
      })
      .pipe(
        Effect.mapError((failure) =>
          failure._tag === "RpcError" && RpcErrors.isExecutionFailure(failure)
            ? new CallReverted({ chainId: chain.id, data: RpcErrors.revertData(failure.data), detail: failure.text })
            : failed("eth_call", failure)
        )
      )
    return yield* asHex("eth_call", answer)
  })

  const simulate: ChainClient["simulate"] = Effect.fnUntraced(function* (calls, overrides = {}) {
    const method = "eth_simulateV1"
    const state = stateOverrides(overrides)
    const block = {
      calls: calls.map(callObject),
      ...(state === undefined ? {} : { stateOverrides: state })
    }
    const answer = yield* read(method, [{ blockStateCalls: [block], validation: false }, "pending"])
    const simulated = yield* wellFormed(method, Receipts.simulation(answer))
    if (simulated.length !== calls.length) return yield* unavailable(method, "another number of calls in the answer")
    return simulated
  })

  return { call, simulate }
}
