/** Executes calls at a node without sending anything: `eth_call` and `eth_estimateGas`. */
import { Effect } from "effect"
import { numberToHex } from "viem"
import { Hex } from "../../../domain/Hex.ts"
import { CallReverted, type CallRequest, type ChainClient } from "../../../ports/shared/Chains.ts"
import * as Rehearsal from "../codec/Rehearsal.ts"
import * as RpcErrors from "../rpc/Errors.ts"
import { Quantity } from "../rpc/Schemas.ts"
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

/** State override set of eth_call; undefined without overrides. */
const stateOverrides = (overrides: Pick<CallRequest, "codeOverrides" | "balanceOverrides">) => {
  const accounts = new Map<string, { code?: Hex; balance?: Hex }>()
  for (const { address, code } of overrides.codeOverrides ?? []) accounts.set(address, { code })
  for (const { address, balance } of overrides.balanceOverrides ?? []) {
    accounts.set(address, { ...accounts.get(address), balance: numberToHex(balance) })
  }
  return accounts.size === 0 ? undefined : Object.fromEntries(accounts)
}

export const make = (node: Node): Pick<ChainClient, "call" | "canSimulate" | "estimateGas" | "simulate"> => {
  const { chain, decoded, failed, pool, unavailable, wellFormed } = node
  const asHex = decoded(Hex)
  const asQuantity = decoded(Quantity)

  const executed = (method: string, params: ReadonlyArray<unknown>) =>
    pool
      .request(method, params, {
        isAnswer: (failure) => failure._tag === "RpcError" && RpcErrors.isExecutionFailure(failure),
        simulates: params.length > 2
      })
      .pipe(
        Effect.mapError((failure) =>
          failure._tag === "RpcError" && RpcErrors.isExecutionFailure(failure)
            ? new CallReverted({ chainId: chain.id, data: RpcErrors.revertData(failure.data), detail: failure.text })
            : failed(method, failure)
        )
      )

  const call: ChainClient["call"] = Effect.fnUntraced(function* ({ block: which = "latest", ...request }) {
    const overrides = stateOverrides(request)
    const params = [callObject(request), tag(which), ...(overrides === undefined ? [] : [overrides])]
    return yield* asHex("eth_call", yield* executed("eth_call", params))
  })

  const estimateGas: ChainClient["estimateGas"] = Effect.fnUntraced(function* (transaction) {
    const method = "eth_estimateGas"
    return yield* asQuantity(method, yield* executed(method, [callObject(transaction), "latest"]))
  })

  const simulate: ChainClient["simulate"] = Effect.fnUntraced(function* (steps, options = {}) {
    const { codeOverrides, data, gas, stage } = Rehearsal.encode(steps)
    const answer = yield* call({
      from: options.origin ?? stage,
      to: stage,
      data,
      gas,
      block: "latest",
      codeOverrides: [...(options.codeOverrides ?? []), ...codeOverrides],
      balanceOverrides: options.balanceOverrides ?? []
    }).pipe(
      Effect.catchTag("CallReverted", ({ detail }) => unavailable("eth_call", `the simulation failed: ${detail}`))
    )
    return yield* wellFormed("eth_call", Rehearsal.decode(answer, steps.length))
  })

  const canSimulate: ChainClient["canSimulate"] = Effect.mapError(pool.takesOverrides, (failure) =>
    failed("eth_call", failure)
  )

  return { call, canSimulate, estimateGas, simulate }
}
