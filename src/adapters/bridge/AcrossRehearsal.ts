/**
 * Rehearses a purchase on arrival on the destination. No contract of ours compares what the recipient gets there with the minimum, and the
 * router counts what leaves the pool. So a token that keeps a part of each transfer would deliver less than the quote promises.
 *
 * The rehearsal buys the token with wrapped native currency, in one `eth_call` with state overrides on the latest state. It
 * compares the amount that the router counts with the one that the recipient gets, so the depth of the pools has no effect.
 */
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, hexToBigInt, parseAbi, sliceHex } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import { size } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import type { BridgeRequest } from "../../ports/orchestrator/Bridge.ts"
import type { SwapRoute, SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { SimulatedCall, SimulatedStep } from "../../ports/shared/Simulation.ts"
import { noRoute } from "./SpokePools.ts"

const wrapAbi = parseAbi(["function deposit() payable"])

/** Wei that the purchase costs: enough to measure a fee in tokens of few decimals. */
const PRICE = 10n ** 17n

/** The rehearsal measures the output, so its swap accepts any. */
const ANY_OUTPUT_BPS = 10_000

/** UNIX seconds that no block reaches. */
const NEVER = 2n ** 40n

const WORD = 32

/** The last word of an answer. 0 without one. */
const lastWord = (call: SimulatedCall | undefined): bigint => {
  const bytes = call?.success === true ? size(call.returnData) : 0
  return call !== undefined && bytes >= WORD ? hexToBigInt(sliceHex(call.returnData, bytes - WORD)) : 0n
}

const stepsOf = (
  money: Address.Address,
  buyer: Address.Address,
  { recipient, token }: { readonly recipient: Address.Address; readonly token: Address.Address },
  buy: SwapRoute
): ReadonlyArray<SimulatedStep> => {
  const balance: SimulatedStep = {
    from: buyer,
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [recipient] })
  }
  return [
    { from: buyer, to: money, data: encodeFunctionData({ abi: wrapAbi, functionName: "deposit" }), value: PRICE },
    {
      from: buyer,
      to: money,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [buy.target, PRICE] })
    },
    balance,
    { from: buyer, to: buy.target, data: buy.calldata },
    balance
  ]
}

/** Fails with no route if the recipient is a contract that refuses native currency, which the purchase would unwrap for it in vain. */
const rehearseUnwrapped = Effect.fnUntraced(function* (
  { chain, simulate }: Pick<ChainClient, "chain" | "simulate">,
  buyer: Address.Address,
  recipient: Address.Address
) {
  const [call] = yield* simulate([{ from: buyer, to: recipient, data: "0x", value: 1n }], {
    balanceOverrides: [{ address: buyer, balance: 1n }]
  })
  if (call?.success !== true) return yield* noRoute(`the recipient on ${chain.name} refuses native currency`)
})

/** Fails with no route unless `recipient` gets the whole amount that the router counts. `buyer` is the handler. */
export const rehearse = Effect.fn("AcrossRehearsal.rehearse")(function* (
  venue: SwapVenue["Service"],
  client: Pick<ChainClient, "chain" | "simulate">,
  buyer: Address.Address,
  { recipient, tokenOut }: Pick<BridgeRequest, "recipient" | "tokenOut">
) {
  const { chain, simulate } = client
  const { wrappedNative: money } = chain
  if (isNative(tokenOut)) return yield* rehearseUnwrapped(client, buyer, recipient)
  const token = Chain.erc20(chain, tokenOut)
  // It takes no fee.
  if (token === money) return
  const buy = yield* venue.route({
    chainId: chain.id,
    tokenIn: money,
    tokenOut: token,
    amountIn: PRICE,
    sender: buyer,
    recipient,
    slippageBps: ANY_OUTPUT_BPS,
    deadline: NEVER
  })
  const calls = yield* simulate(stepsOf(money, buyer, { recipient, token }, buy), {
    balanceOverrides: [{ address: buyer, balance: PRICE }]
  })
  const [, , before, bought, after] = calls
  // The router returns the result of its one swap.
  const counted = lastWord(bought)
  if (counted === 0n) return yield* noRoute(`the purchase of ${token} on ${chain.name} fails in a rehearsal`)
  if (lastWord(after) - lastWord(before) < counted) {
    return yield* noRoute(
      `${token} takes a fee when it moves, so its purchase on arrival on ${chain.name} has no certain minimum`
    )
  }
})
