/**
 * Rehearses the sale of a fee: its holder pays it to the fee recipient, which sells it for the wrapped native currency. It sells only the part that
 * arrives, since tokens may take a part of a transfer, and the recipient may hold some of the token already.
 */
import { Effect, Option } from "effect"
import { decodeFunctionResult, encodeFunctionData, erc20Abi, prepareEncodeFunctionData } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { SimulatedStep } from "../../ports/shared/Simulation.ts"

/** Gas of a step. A token that needs more for a transfer is not worth its fee. */
const STEP_GAS = 1_000_000n

/** The call of a sale by the fee recipient. */
export interface Offer {
  readonly router: Address.Address
  readonly calldata: Hex
  /** Wei that the sale counts for at most. Absent: what it yields. */
  readonly atMost?: bigint
}

export interface Fee {
  readonly token: Address.Address
  readonly amount: bigint
  readonly holder: Address.Address
}

/** The sale of an amount; none if nothing that counts sells it. */
export type OfferOf<E> = (amount: bigint) => Effect.Effect<Option.Option<Offer>, E>

// With their selectors, which viem would hash for every call.
const BALANCE_OF = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "balanceOf" })
const TRANSFER = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "transfer" })
const APPROVE = prepareEncodeFunctionData({ abi: erc20Abi, functionName: "approve" })

const decodeBalance = Option.liftThrowable((data: Hex) =>
  decodeFunctionResult({ abi: erc20Abi, functionName: "balanceOf", data })
)

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const balanceOf = (token: Address.Address, account: Address.Address): SimulatedStep => ({
  from: account,
  to: token,
  data: encodeFunctionData({ ...BALANCE_OF, args: [account] })
})

const stepsOf = (seller: Address.Address, native: Address.Address, fee: Fee, offer: Offer, sold: bigint) => {
  const { amount, holder, token } = fee
  const transfer = encodeFunctionData({ ...TRANSFER, args: [seller, amount] })
  const approve = encodeFunctionData({ ...APPROVE, args: [offer.router, sold] })
  return {
    before: [balanceOf(native, seller), balanceOf(token, seller)],
    paid: holder === seller ? [] : [{ from: holder, to: token, data: transfer }],
    sale: [
      balanceOf(token, seller),
      { from: seller, to: token, data: approve },
      { from: seller, to: offer.router, data: offer.calldata },
      balanceOf(native, seller)
    ]
  }
}

/** Makes `worthOf(client, fee, offerOf)`: wei that the recipient gets for what arrives of the fee; 0 if a step fails. */
export const make = Effect.gen(function* () {
  const keys = yield* RelayerKeys

  /** `arrived`: part of the amount that the recipient has of it; 0 if it was not paid. `wei`: what the sale yields; 0 if a step failed. */
  const rehearse = Effect.fnUntraced(function* (
    { chain, simulate }: ChainClient,
    fee: Fee,
    offer: Offer,
    sold: bigint
  ) {
    const { before, paid, sale } = stepsOf(chain.feeRecipient, chain.wrappedNative, fee, offer, sold)
    const steps = [...before, ...paid, ...sale].map((step) => ({ ...step, gas: STEP_GAS }))
    const [origin] = keys.lanes(chain.id)
    const outcomes = yield* simulate(steps, origin === undefined ? {} : { within: { origin, block: "other" } })
    const balanceAt = (index: number) =>
      Option.getOrElse(
        Option.flatMap(Option.fromUndefinedOr(outcomes.at(index)), ({ returnData }) => decodeBalance(returnData)),
        () => 0n
      )
    const isPaid = outcomes.length === steps.length && outcomes.slice(0, -3).every(({ success }) => success)
    if (!isPaid) return { arrived: 0n, wei: 0n }
    const held = balanceAt(before.length + paid.length) - (paid.length === 0 ? 0n : balanceAt(1))
    const gained = balanceAt(-1) - balanceAt(0)
    const isSold = outcomes.every(({ success }) => success) && gained > 0n
    return { arrived: least(held, fee.amount), wei: isSold ? least(gained, offer.atMost ?? gained) : 0n }
  })

  return Effect.fnUntraced(function* <E>(
    client: ChainClient,
    fee: Fee,
    offerOf: OfferOf<E>
  ): Effect.fn.Return<bigint, ChainUnavailable | E> {
    const whole = yield* offerOf(fee.amount)
    if (Option.isNone(whole)) return 0n
    const { arrived, wei } = yield* rehearse(client, fee, whole.value, fee.amount)
    if (arrived >= fee.amount) return wei
    const rest = arrived > 0n ? yield* offerOf(arrived) : Option.none()
    return Option.isNone(rest) ? 0n : (yield* rehearse(client, fee, rest.value, arrived)).wei
  })
})
