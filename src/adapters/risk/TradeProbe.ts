/**
 * Tries a token out: a fresh account buys it, moves a part to another fresh account, and that one sells. All of it is one `eth_call` with
 * state overrides on the latest state. No token can know the accounts. Routes of the same amounts tell the
 * output without taxes, so the differences are the token's taxes.
 *
 * A purchase that fails proves nothing, because the route may be at fault. A transfer or a sale that fails after it is the token's deed.
 */
import { Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { encodeFunctionData, erc20Abi, hexToBigInt, parseAbi, prepareEncodeFunctionData, toHex } from "viem"
import * as Address from "../../domain/Address.ts"
import { BPS, mulDivUp } from "../../domain/Amount.ts"
import { size } from "../../domain/Hex.ts"
import type { Taxes, Trial } from "../../domain/TokenVerdict.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { type SwapRoute, SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { SimulatedCall, SimulatedStep } from "../../ports/shared/Simulation.ts"

const UNPROVEN: Trial = { _tag: "Unproven" }

const wrapAbi = parseAbi(["function deposit() payable"])

/** Wei that the purchase costs: enough to measure a tax, and too little to move the price of a pool that matters. */
const PRICE = 10n ** 16n

/** The same where a unit of the native currency is worth less than a dollar. */
const CHEAP_PRICE = 20n * 10n ** 18n
const CHEAP: ReadonlySet<string> = new Set(["POL", "MATIC"])

/** Parts of the bought amount that are moved on, and sold. The rest covers taxes. */
const MOVED_PART = 2n
const SOLD_PART = 4n

/** Amounts below are too small to measure a tax. */
const MEASURABLE = 1_000n

/** All trades are for any output: the trial measures it. */
const ANY_OUTPUT_BPS = 10_000

/** UNIX seconds that no block reaches. */
const NEVER = 2n ** 40n

const TRADE_GAS = 5_000_000n
const TOKEN_GAS = 1_000_000n

interface Accounts {
  readonly trader: Address.Address
  readonly holder: Address.Address
}

/** The routes of a trial, with the amounts that they were made for. */
interface Plan extends Accounts {
  readonly token: Address.Address
  readonly money: Address.Address
  readonly price: bigint
  readonly buy: SwapRoute
  readonly moved: bigint
  readonly sold: bigint
  readonly sell: SwapRoute
}

// With their selectors, which viem would hash for every call.
const BALANCE_OF = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "balanceOf" })
const TRANSFER = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "transfer" })
const APPROVE = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "approve" })
const DEPOSIT = encodeFunctionData({ abi: wrapAbi, functionName: "deposit" })

const stepsOf = ({
  buy,
  holder,
  money,
  moved,
  price,
  sell,
  sold,
  token,
  trader
}: Plan): ReadonlyArray<SimulatedStep> => {
  const balance = (of: Address.Address, account: Address.Address): SimulatedStep => ({
    to: of,
    data: encodeFunctionData({ ...BALANCE_OF, args: [account] }),
    from: trader,
    gas: TOKEN_GAS
  })
  const approve = (from: Address.Address, of: Address.Address, spender: Address.Address, amount: bigint) => ({
    from,
    to: of,
    data: encodeFunctionData({ ...APPROVE, args: [spender, amount] }),
    gas: TOKEN_GAS
  })
  return [
    {
      from: trader,
      to: money,
      data: DEPOSIT,
      value: price,
      gas: TOKEN_GAS
    },
    approve(trader, money, buy.target, price),
    { from: trader, to: buy.target, data: buy.calldata, gas: TRADE_GAS },
    balance(token, trader),
    {
      from: trader,
      to: token,
      data: encodeFunctionData({ ...TRANSFER, args: [holder, moved] }),
      gas: TOKEN_GAS
    },
    balance(token, holder),
    approve(holder, token, sell.target, sold),
    { from: holder, to: sell.target, data: sell.calldata, gas: TRADE_GAS },
    balance(money, holder)
  ]
}

const amountIn = (call: SimulatedCall | undefined): bigint =>
  call?.success === true && size(call.returnData) === 32 ? hexToBigInt(call.returnData) : 0n

/** Part of the expected amount that is missing, in basis points, rounded up: tokens round their taxes down. */
const missingBps = (expected: bigint, got: bigint): number =>
  expected < MEASURABLE || got >= expected ? 0 : Number(mulDivUp(expected - got, BPS, expected))

/** Reads the result of the trial from its calls. */
export const judge = (
  {
    buy,
    moved,
    sell,
    sold
  }: Pick<Plan, "moved" | "sold"> & {
    readonly buy: Pick<SwapRoute, "amountOut">
    readonly sell: Pick<SwapRoute, "amountOut">
  },
  calls: ReadonlyArray<SimulatedCall>
): Trial => {
  const [deposit, approval, bought, inTrader, transfer, inHolder, , sale, proceeds] = calls
  if (deposit?.success !== true || approval?.success !== true || bought?.success !== true) return UNPROVEN
  const received = amountIn(inTrader)
  const buyBps = missingBps(buy.amountOut, received)
  const heavyTax = (taxes: Partial<Taxes>): Trial => ({
    _tag: "Sold",
    taxes: { buyBps, transferBps: 0, sellBps: 0, ...taxes }
  })
  // The tax left too little to go on with.
  if (received < moved) return heavyTax({})
  if (transfer?.success !== true) return { _tag: "Trapped", at: "transfer" }
  const arrived = amountIn(inHolder)
  const transferBps = missingBps(moved, arrived)
  if (arrived < sold) return heavyTax({ transferBps })
  if (sale?.success !== true) return { _tag: "Trapped", at: "sell" }
  return { _tag: "Sold", taxes: { buyBps, transferBps, sellBps: missingBps(sell.amountOut, amountIn(proceeds)) } }
}

/** A route that also sells a token that takes a fee from transfers, if there is one: others would make the token look like a trap. */
const takingFees = (best: SwapRoute): SwapRoute =>
  [best, ...(best.alternatives ?? [])].find(({ sellsWhatArrives }) => sellsWhatArrives === true) ?? best

/** Makes `tryOut(client, token)`. Unproven if there is no market for the token. Fails if the chain or the exchanges do not answer. */
export const make = Effect.gen(function* () {
  const keys = yield* RelayerKeys
  const random = yield* SecureRandom.SecureRandom
  const venue = yield* SwapVenue

  const account = Effect.map(random.randomBytes(20), (bytes) => Address.of(toHex(bytes)))

  const planOf = Effect.fnUntraced(function* ({ chain }: ChainClient, token: Address.Address) {
    const money = chain.wrappedNative
    const price = CHEAP.has(chain.nativeSymbol) ? CHEAP_PRICE : PRICE
    const [trader, holder] = yield* Effect.all([account, account])
    const terms = { chainId: chain.id, slippageBps: ANY_OUTPUT_BPS, deadline: NEVER }
    const buy = yield* venue.route({
      ...terms,
      tokenIn: money,
      tokenOut: token,
      amountIn: price,
      sender: trader,
      recipient: trader
    })
    const [moved, sold] = [buy.amountOut / MOVED_PART, buy.amountOut / SOLD_PART]
    if (sold === 0n) return Option.none<Plan>()
    const sell = takingFees(
      yield* venue.route({
        ...terms,
        tokenIn: token,
        tokenOut: money,
        amountIn: sold,
        sender: holder,
        recipient: holder
      })
    )
    return Option.some<Plan>({ trader, holder, token, money, price, buy, moved, sold, sell })
  })

  return Effect.fn("TradeProbe.tryOut")(
    function* (client: ChainClient, token: Address.Address) {
      if (token === client.chain.wrappedNative) return UNPROVEN
      const plan = yield* planOf(client, token)
      if (Option.isNone(plan)) return UNPROVEN
      const [origin] = keys.lanes(client.chain.id)
      const calls = yield* client.simulate(stepsOf(plan.value), {
        balanceOverrides: [{ address: plan.value.trader, balance: plan.value.price }],
        ...(origin === undefined ? {} : { within: { origin } })
      })
      return judge(plan.value, calls)
    },
    Effect.tapError((error) => Effect.annotateLogs(Effect.logDebug("token.untried"), { detail: error.message })),
    Effect.catchTag("NoRoute", () => Effect.succeed(UNPROVEN))
  )
})
