/** Executes calls at a node without sending anything: `eth_call` and `eth_estimateGas`. */
import { Effect } from "effect"
import { numberToHex } from "viem"
import type { Address } from "../../../domain/Address.ts"
import { Hex } from "../../../domain/Hex.ts"
import {
  CallReverted,
  type CallRequest,
  type ChainClient,
  type ChainUnavailable
} from "../../../ports/shared/Chains.ts"
import * as Rehearsal from "../codec/Rehearsal.ts"
import * as RpcErrors from "../rpc/Errors.ts"
import type * as Pool from "../rpc/Pool.ts"
import { Quantity } from "../rpc/Schemas.ts"
import type { Surroundings } from "./NextBlock.ts"
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

/** Fees of a call, as quantities. */
const feeFields = ({ maxFeePerGas, maxPriorityFeePerGas }: Surroundings["fees"]) => ({
  maxFeePerGas: numberToHex(maxFeePerGas),
  maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas)
})

/** Block overrides of eth_call, by their names in geth. */
const blockOverrides = ({ fees, number, timestamp }: Surroundings) => ({
  number: numberToHex(number),
  time: numberToHex(timestamp),
  baseFeePerGas: numberToHex(fees.baseFeePerGas)
})

export const make = (
  node: Node,
  surround: (sender: Address, gas: bigint) => Effect.Effect<Surroundings, ChainUnavailable>
): Pick<ChainClient, "call" | "canSimulate" | "estimateGas" | "simulate"> => {
  const { chain, decoded, failed, pool, unavailable, wellFormed } = node
  const asHex = decoded(Hex)
  const asQuantity = decoded(Quantity)

  const executed = (method: string, params: ReadonlyArray<unknown>, options: Pool.RequestOptions = {}) =>
    pool
      .request(method, params, {
        ...options,
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
    const { origin = stage } = options
    // A made-up sender has no balance that could be shown.
    const around = options.origin === undefined ? undefined : yield* surround(options.origin, gas)
    const overrides = stateOverrides({
      codeOverrides: [...(options.codeOverrides ?? []), ...codeOverrides],
      balanceOverrides: [
        ...(around === undefined ? [] : [{ address: origin, balance: around.balance }]),
        ...(options.balanceOverrides ?? [])
      ]
    })
    const request = {
      ...callObject({ from: origin, to: stage, data, gas }),
      ...(around === undefined ? {} : feeFields(around.fees))
    }
    const answer = yield* executed(
      "eth_call",
      [request, "latest", overrides],
      around === undefined ? {} : { blockOverrides: blockOverrides(around) }
    ).pipe(
      Effect.catchTag("CallReverted", ({ detail }) => unavailable("eth_call", `the simulation failed: ${detail}`)),
      Effect.flatMap((result) => asHex("eth_call", result))
    )
    return yield* wellFormed("eth_call", Rehearsal.decode(answer, steps.length))
  })

  const canSimulate: ChainClient["canSimulate"] = Effect.mapError(pool.takesOverrides, (failure) =>
    failed("eth_call", failure)
  )

  return { call, canSimulate, estimateGas, simulate }
}
