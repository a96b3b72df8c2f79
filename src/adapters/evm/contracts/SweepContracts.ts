/** {@link SweepContracts} by the ABIs of the compiled Solidity sources. */
import { Effect, Layer, Option } from "effect"
import {
  decodeErrorResult,
  decodeFunctionData,
  encodeEventTopics,
  encodeFunctionData,
  erc20Abi,
  hexToBigInt,
  pad,
  prepareEncodeFunctionData,
  size
} from "viem"
import * as Address from "../../../domain/Address.ts"
import * as Generations from "../../../domain/Generations.ts"
import { type Hex, lowerCase } from "../../../domain/Hex.ts"
import { BITS } from "../../../domain/OrderNonce.ts"
import type { SweepOrder } from "../../../domain/SweepOrder.ts"
import { isNative } from "../../../domain/Token.ts"
import { type ChainClient, ChainUnavailable } from "../../../ports/shared/Chains.ts"
import { type SweepRevert, SweepContracts } from "../../../ports/orchestrator/SweepContracts.ts"
import { sweepDelegate, sweepEntry, sweepGuard } from "../abi/contracts.generated.ts"
import { feeFor } from "./DataFee.ts"
import * as OwnerBalances from "./OwnerBalances.ts"
import * as SwapTargets from "./SwapTargets.ts"

const MAX_TEXT = 300

// With their selectors, which viem would hash for every call.
const BALANCE_OF = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "balanceOf" })
const NONCE_BITMAP = prepareEncodeFunctionData({ abi: sweepGuard.abi, functionName: "nonceBitmap" })
const EXECUTE = prepareEncodeFunctionData({ abi: sweepDelegate.abi, functionName: "execute" })
const RUN = prepareEncodeFunctionData({ abi: sweepEntry.abi, functionName: "run" })

const [SWEPT] = encodeEventTopics({ abi: sweepGuard.abi, eventName: "Swept" })
const [CANCELLED] = encodeEventTopics({ abi: sweepGuard.abi, eventName: "Cancelled" })

/** Words of the event's data: the fields that are not indexed, in the order of the declaration. */
const DATA_WORDS = 10
const WORD_DIGITS = 64

/** An address fills the last 20 bytes of its word. */
const addressIn = (word: string): Address.Address => Address.of(`0x${word.slice(-40)}`)

/** Decoded by hand: viem takes ten times as long, and every sweep has such a log (`./sweep bench codecs`). */
const decodeSwept: SweepContracts["Service"]["decodeSwept"] = (guard, log) => {
  const [signature, orderHash, owner, builder] = log.topics
  if (log.address !== guard || signature?.toLowerCase() !== SWEPT) return Option.none()
  if (orderHash === undefined || owner === undefined || builder === undefined) return Option.none()
  if (size(log.data) < (DATA_WORDS * WORD_DIGITS) / 2) return Option.none()
  const word = (index: number): string =>
    log.data.slice(2 + index * WORD_DIGITS, 2 + (index + 1) * WORD_DIGITS).toLowerCase()
  const amount = (index: number): bigint => BigInt(`0x${word(index)}`)
  return Option.some({
    orderHash: lowerCase(orderHash),
    owner: addressIn(owner.toLowerCase()),
    builder: addressIn(builder.toLowerCase()),
    tokenIn: addressIn(word(0)),
    amountIn: amount(1),
    feeAmount: amount(2),
    builderFee: amount(3),
    tokenOut: addressIn(word(4)),
    amountOut: amount(5),
    destination: addressIn(word(6)),
    swapTarget: addressIn(word(7)),
    nonce: amount(8),
    destChainId: amount(9)
  })
}

const decodeSpent: SweepContracts["Service"]["decodeSpent"] = (guard, log) => {
  const [signature, owner] = log.topics
  if (signature?.toLowerCase() !== CANCELLED) {
    return Option.map(decodeSwept(guard, log), ({ nonce, orderHash, owner: swept }) => ({
      owner: swept,
      nonce,
      orderHash
    }))
  }
  if (log.address !== guard || owner === undefined || size(log.data) !== WORD_DIGITS / 2) return Option.none()
  return Option.some({ owner: addressIn(owner.toLowerCase()), nonce: hexToBigInt(log.data) })
}

const decodeError = Option.liftThrowable((data: Hex) => decodeErrorResult({ abi: sweepDelegate.abi, data }))

/** A swap target reverts with errors of its own. Only Solidity's standard errors are known. */
const decodeStandardError = Option.liftThrowable((data: Hex) => decodeErrorResult({ abi: [], data }))

const decodeRevert = (data: Hex): SweepRevert => {
  const revert = Option.match(decodeError(data), {
    onNone: () => ({ name: "Unknown", text: data === "0x" ? "no revert data" : data }),
    onSome: ({ args, errorName }) => {
      const [argument] = args ?? []
      if (errorName === "SwapFailed") return { name: errorName, text: `SwapFailed(${swapReason(argument as Hex)})` }
      return { name: errorName, text: argument === undefined ? errorName : `${errorName}(${String(argument)})` }
    }
  })
  // The cut may leave half of a surrogate pair, which PostgreSQL refuses.
  return { name: revert.name, text: revert.text.slice(0, MAX_TEXT).toWellFormed() }
}

const swapReason = (data: Hex): string =>
  Option.match(decodeStandardError(data), {
    onNone: () => data,
    onSome: ({ args }) => String(args?.[0])
  })

/** The answer is malformed: the configured address holds another contract, or none. */
const unusable = (client: ChainClient, detail: string) =>
  new ChainUnavailable({ chainId: client.chain.id, method: "eth_call", detail })

const nonceBitmap: SweepContracts["Service"]["nonceBitmap"] = Effect.fnUntraced(function* (
  client,
  owner,
  word,
  block = "latest",
  guard = Generations.ofNonce(client.chain, word * BITS).guard
) {
  const data = encodeFunctionData({ ...NONCE_BITMAP, args: [owner, word] })
  const result = yield* client
    .call({ to: guard, data, block })
    .pipe(Effect.catchTag("CallReverted", (reverted) => Effect.fail(unusable(client, reverted.message))))
  if (size(result) !== 32) return yield* unusable(client, `the guard ${guard} is not deployed`)
  return hexToBigInt(result)
})

const balanceOf: SweepContracts["Service"]["balanceOf"] = Effect.fnUntraced(function* (
  client,
  token,
  owner,
  block = "latest"
) {
  if (isNative(token)) return yield* client.balance(owner)
  const data = encodeFunctionData({ ...BALANCE_OF, args: [owner] })
  const result = yield* client
    .call({ to: token, data, block })
    .pipe(Effect.catchTag("CallReverted", () => Effect.succeed<Hex>("0x")))
  return size(result) === 32 ? hexToBigInt(result) : 0n
})

const decodeCall: SweepContracts["Service"]["decodeCall"] = (data) => {
  if (data === "0x") return []
  const call = decodeFunctionData({ abi: sweepDelegate.abi, data })
  if (call.functionName === "execute") return [call.args[0]]
  if (call.functionName === "executeBatch") return call.args[0]
  throw new TypeError(`${call.functionName} runs no orders`)
}

/** Without checksums, since viem would hash each new address to compare its own. */
const plain = (order: SweepOrder) => ({
  ...order,
  owner: lowerCase(order.owner),
  tokenIn: lowerCase(order.tokenIn),
  builder: lowerCase(order.builder),
  tokenOut: lowerCase(order.tokenOut),
  destination: lowerCase(order.destination),
  swapTarget: lowerCase(order.swapTarget)
})

export const layer = Layer.succeed(SweepContracts, {
  encodeExecute: (order, signature) => encodeFunctionData({ ...EXECUTE, args: [plain(order), signature] }),
  encodeBatch: ({ first, legHashes, legs, signature }) =>
    encodeFunctionData({
      abi: sweepDelegate.abi,
      functionName: "executeBatch",
      args: [
        legs.map(({ order }) => plain(order)),
        legs.map(({ gasLimit }) => gasLimit),
        legHashes,
        BigInt(first),
        signature
      ]
    }),
  encodeRun: (items) =>
    encodeFunctionData({
      ...RUN,
      args: [items.map((item) => ({ ...item, account: lowerCase(item.account) }))]
    }),
  isRun: (data) => data.toLowerCase().startsWith(RUN.functionName),
  decodeRun: (data) =>
    decodeFunctionData({ abi: sweepEntry.abi, data }).args[0].map(({ account, data: call, gasLimit }) => ({
      account: Address.of(account),
      gasLimit,
      data: call
    })),
  decodeCall,
  decodeSwept,
  sweptTopics: (orderDigest) => [SWEPT, orderDigest],
  decodeSpent,
  spentTopics: (owner) => [
    [SWEPT, null, pad(owner, { size: 32 })],
    [CANCELLED, pad(owner, { size: 32 })]
  ],
  decodeRevert,
  nonceBitmap,
  balanceOf,
  balancesOf: OwnerBalances.read,
  targets: SwapTargets.read,
  rollupFee: feeFor
})
