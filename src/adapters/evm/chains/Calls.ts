/** Executes calls at a node without sending anything: `eth_call` and `eth_estimateGas`. */
import { Effect, Random } from "effect"
import { numberToHex } from "viem"
import * as Address from "../../../domain/Address.ts"
import { Hex } from "../../../domain/Hex.ts"
import { CallReverted, type CallRequest, type ChainClient, ChainUnavailable } from "../../../ports/shared/Chains.ts"
import * as Rehearsal from "../codec/Rehearsal.ts"
import * as RpcErrors from "../rpc/Errors.ts"
import type * as Pool from "../rpc/Pool.ts"
import { Quantity } from "../rpc/Schemas.ts"
import type { Setting } from "./NextBlock.ts"
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

/** Gas of an access list for each account: 2,400 (EIP-2930), and 1,280 more where its bytes cost gas (EIP-7981). */
const ACCESS_GAS = 4_000n

/** Address that nobody can know before. */
const drawAddress = Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, 2 ** 32 - 1), 5), (words) =>
  Address.of(`0x${words.map((word) => word.toString(16).padStart(8, "0")).join("")}`)
)

/** Gas limit of a transaction around a simulation that names none: that of one sweep. */
const AROUND_GAS = 300_000n

/** Parts of a call that make it look like a transaction in a setting. */
interface Dress {
  /** Fees as quantities. */
  readonly fees: Readonly<Record<string, Hex>>
  /** Balance of the sender before it pays for the call's gas, in wei. */
  readonly balance: bigint
}

/**
 * In the setting's own block. After the node has taken the price of `gas`, the sender has what a transaction with `gasLimit` would
 * leave it.
 */
const inBlock = ({ balance, baseFeePerGas, tip }: Setting, gas: bigint, gasLimit: bigint): Dress => {
  const gasPrice = baseFeePerGas + tip
  const left = balance - gasLimit * gasPrice
  return { fees: { gasPrice: numberToHex(gasPrice) }, balance: (left > 0n ? left : 0n) + gas * gasPrice }
}

/** In the latest block, whose base fee may be higher by now. Nodes refuse a call that its sender cannot pay at the highest price. */
const inLatest = (setting: Setting, gas: bigint, gasLimit: bigint): Dress => {
  const { balance } = inBlock(setting, gas, gasLimit)
  const maxFeePerGas = (setting.baseFeePerGas * 3n) / 2n + setting.tip
  const least = gas * maxFeePerGas
  return {
    fees: { maxFeePerGas: numberToHex(maxFeePerGas), maxPriorityFeePerGas: numberToHex(setting.tip) },
    balance: balance > least ? balance : least
  }
}

/** Block overrides of eth_call, by their names in geth. */
const blockOverrides = ({ baseFeePerGas, coinbase, number, randomness, timestamp }: Setting) => ({
  baseFeePerGas: numberToHex(baseFeePerGas),
  ...(number === undefined ? {} : { number: numberToHex(number) }),
  ...(timestamp === undefined ? {} : { time: numberToHex(timestamp) }),
  ...(coinbase === undefined ? {} : { feeRecipient: coinbase }),
  ...(randomness === undefined ? {} : { prevRandao: randomness })
})

export const make = (
  node: Node,
  settingOf: (sender: Address.Address, block: "next" | "other") => Effect.Effect<Setting, ChainUnavailable>
): Pick<ChainClient, "call" | "canSimulate" | "estimateGas" | "simulate"> => {
  const { chain, decoded, failed, pool, wellFormed } = node
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
            ? new CallReverted({
                chainId: chain.id,
                data: RpcErrors.revertData(failure.data),
                detail: failure.text,
                ...(RpcErrors.isOutOfGas(failure) ? { isOutOfGas: true } : {})
              })
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
    const { codeOverrides, data, gas: needed, stage } = Rehearsal.encode(steps, yield* drawAddress, options.isApart)
    const { within } = options
    const { warm = [] } = within ?? {}
    const gas = needed + ACCESS_GAS * BigInt(warm.length)
    const paramsOf = (dress?: Dress): ReadonlyArray<unknown> => [
      {
        ...callObject({ from: within?.origin ?? stage, to: stage, data, gas }),
        ...(warm.length === 0 ? {} : { accessList: warm.map((address) => ({ address, storageKeys: [] })) }),
        ...dress?.fees
      },
      "latest",
      stateOverrides({
        codeOverrides: [...(options.codeOverrides ?? []), ...codeOverrides],
        balanceOverrides: [
          ...(within === undefined || dress === undefined ? [] : [{ address: within.origin, balance: dress.balance }]),
          ...(options.balanceOverrides ?? [])
        ]
      })
    ]
    // A made-up sender has no balance that could be shown.
    const setting = within === undefined ? undefined : yield* settingOf(within.origin, within.block ?? "next")
    const gasLimit = within?.gasLimit ?? AROUND_GAS
    const answer = yield* (
      setting === undefined
        ? executed("eth_call", paramsOf())
        : executed("eth_call", paramsOf(inLatest(setting, gas, gasLimit)), {
            withBlockOverrides: [...paramsOf(inBlock(setting, gas, gasLimit)), blockOverrides(setting)]
          })
    ).pipe(
      Effect.catchTag("CallReverted", ({ detail: text }) => {
        const detail = `the simulation failed: ${text}`
        return new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail, isReverted: true })
      }),
      Effect.flatMap((result) => asHex("eth_call", result))
    )
    return yield* wellFormed("eth_call", Rehearsal.decode(answer, steps))
  })

  const canSimulate: ChainClient["canSimulate"] = Effect.mapError(pool.takesOverrides, (failure) =>
    failed("eth_call", failure)
  )

  return { call, canSimulate, estimateGas, simulate }
}
