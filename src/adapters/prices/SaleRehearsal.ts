/**
 * Rehearses the sale of a fee: its holder pays it to the fee recipient, which sells it for the wrapped native currency. It sells only the part that
 * arrives, since tokens may take a part of a transfer, and the recipient may hold some of the token already. Of a token that took a part the last
 * time, a first rehearsal sells as much as would arrive then.
 */
import { Effect, Option } from "effect"
import { decodeFunctionResult, encodeFunctionData, erc20Abi, prepareEncodeFunctionData } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { SimulatedStep } from "../../ports/shared/Simulation.ts"
import * as LatestMap from "../../domain/LatestMap.ts"

/** Gas of a step. A token that needs more for a transfer is not worth its fee. */
const STEP_GAS = 1_000_000n

/** The call of a sale by the fee recipient. */
export interface Offer {
  readonly router: Address.Address
  readonly calldata: Hex
  /** Wei that the sale counts for at most. Absent: what it yields. */
  readonly atMost?: bigint
  /** A call before everything else. The sale counts also if it fails. */
  readonly question?: { readonly to: Address.Address; readonly data: Hex }
}

export interface Fee {
  readonly token: Address.Address
  readonly amount: bigint
  readonly holder: Address.Address
}

/** Result of a rehearsed sale. */
export interface Rehearsed {
  /** Wei that the sale counts for; 0 if a step failed. */
  readonly wei: bigint
  /** Part of the fee that arrived, which is sold; 0 if it was not paid. */
  readonly sold: bigint
  /** Amount of the token that the recipient holds beside the fee. */
  readonly held: bigint
  /** True if the rehearsal shows that nothing of the fee arrives, or that a recipient that was paid holds nothing. */
  readonly isUnpaid: boolean
  /** Answer to the offer's question. None without one, or if it failed. */
  readonly answer: Option.Option<Hex>
}

/** A transfer, and the part of its amount that arrived. */
interface Arrival {
  readonly arrived: bigint
  readonly amount: bigint
}

/** Tokens with a fee on transfer of which the last arrival is remembered. */
const TAKING_TOKENS = 10_000

const NO_OFFER: Rehearsed = { wei: 0n, sold: 0n, held: 0n, isUnpaid: false, answer: Option.none() }

const UNPAID: Rehearsed = { ...NO_OFFER, isUnpaid: true }

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
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

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
    question: offer.question === undefined ? [] : [{ from: seller, ...offer.question }],
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

/** Part of what arrives that a sale may leave unsold, as tokens round: one in this many. */
const UNSOLD_PART = 10_000n

/** True if a sale of this amount sells nearly all that arrived, and no more. */
const isNearly = (amount: bigint, arrived: bigint): boolean =>
  amount > 0n && amount <= arrived && (arrived - amount) * UNSOLD_PART <= arrived

/** Part of an amount that arrives if as much of it does as did of another. All of it if that is nothing. */
const likelyArrival = (amount: bigint, last: Arrival = { arrived: 1n, amount: 1n }): bigint =>
  (amount * last.arrived) / last.amount || amount

/** Makes `rehearse(client, fee, offerOf)`: the sale of what arrives of the fee. */
export const make = Effect.gen(function* () {
  const keys = yield* RelayerKeys
  const arrivals = LatestMap.make<string, Arrival>(TAKING_TOKENS)

  /** Sells `sold` of the fee, of which as much or more must have arrived. */
  const run = Effect.fnUntraced(function* ({ chain, simulate }: ChainClient, fee: Fee, offer: Offer, sold: bigint) {
    const { before, paid, question, sale } = stepsOf(chain.feeRecipient, chain.wrappedNative, fee, offer, sold)
    const steps = [...question, ...before, ...paid, ...sale].map((step) => ({ ...step, gas: STEP_GAS }))
    const [origin] = keys.lanes(chain.id)
    const all = yield* simulate(steps, origin === undefined ? {} : { within: { origin, block: "other" } })
    const outcomes = all.slice(question.length)
    const balanceAt = (index: number) =>
      Option.getOrElse(
        Option.flatMap(Option.fromUndefinedOr(outcomes.at(index)), ({ returnData }) => decodeBalance(returnData)),
        () => 0n
      )
    const isPaid = all.length === steps.length && outcomes.slice(0, -3).every(({ success }) => success)
    if (!isPaid) return UNPAID
    const heldBefore = balanceAt(1)
    const came = balanceAt(before.length + paid.length) - (paid.length === 0 ? 0n : heldBefore)
    const arrived = least(came, fee.amount)
    const gained = balanceAt(-1) - balanceAt(0)
    const isSold = outcomes.every(({ success }) => success) && gained > 0n
    return {
      wei: isSold ? least(gained, offer.atMost ?? gained) : 0n,
      sold: arrived,
      held: most(0n, heldBefore - (paid.length === 0 ? arrived : 0n)),
      isUnpaid: false,
      answer: Option.fromUndefinedOr(all.slice(0, question.length).find(({ success }) => success)?.returnData)
    } satisfies Rehearsed
  })

  const note = (key: string, arrived: bigint, amount: bigint): void =>
    arrived === 0n || arrived === amount ? arrivals.delete(key) : arrivals.set(key, { arrived, amount })

  /** The amount that likely arrives, with its offer. Without one the whole amount, since the memory may be wrong. */
  const begin = Effect.fnUntraced(function* <E>({ amount }: Fee, last: Arrival | undefined, offerOf: OfferOf<E>) {
    const likely = likelyArrival(amount, last)
    const offer = yield* offerOf(likely)
    return Option.isNone(offer) && likely !== amount
      ? { likely: amount, offer: yield* offerOf(amount) }
      : { likely, offer }
  })

  return Effect.fnUntraced(function* <E>(
    client: ChainClient,
    fee: Fee,
    offerOf: OfferOf<E>
  ): Effect.fn.Return<Rehearsed, ChainUnavailable | E> {
    const key = `${client.chain.id} ${fee.token}`
    // A recipient that holds the fee transfers nothing, so its sale tells nothing about transfers.
    const isTransferred = fee.holder !== client.chain.feeRecipient
    const { likely, offer } = yield* begin(fee, isTransferred ? arrivals.get(key) : undefined, offerOf)
    if (Option.isNone(offer)) return NO_OFFER
    const first = yield* run(client, fee, offer.value, likely)
    const arrived = first.sold
    if (isTransferred) note(key, arrived, fee.amount)
    if (isNearly(likely, arrived)) return { ...first, sold: likely }
    if (arrived <= 0n) return UNPAID
    const rest = yield* offerOf(arrived)
    return Option.isNone(rest) ? NO_OFFER : yield* run(client, fee, rest.value, arrived)
  })
})
