/**
 * {@link FeeValue} by prices for listed tokens, and by a rehearsed sale for others: the holder transfers the fee to the fee recipient,
 * which sells what arrives for the wrapped native currency, in the pools of Uniswap v3 that count for prices (PoolSales.ts). If these pay too
 * little for all such fees together, the best exchange of the chains file counts if it pays more (VenueSales.ts). While some exchanges do not
 * answer, the pools and the others count if they pay what the fee is charged for. Otherwise its value is not known. A pool that was made for
 * the occasion makes a fee worth nothing. The rest of the sweep is not rehearsed before the sale, and the haircut covers how much it moves the
 * price. Listed tokens that no source of prices knows are valued by a sale, too.
 */
import { Effect, Layer, Option, Ref } from "effect"
import type * as Address from "../../domain/Address.ts"
import { BPS } from "../../domain/Amount.ts"
import * as Chain from "../../domain/Chain.ts"
import { NATIVE } from "../../domain/Token.ts"
import { FeeUncertain, FeeValue, type UnpaidFee } from "../../ports/orchestrator/FeeValue.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { KnownPools } from "../swap/KnownPools.ts"
import * as PoolSales from "./PoolSales.ts"
import * as SaleRehearsal from "./SaleRehearsal.ts"
import * as VenueSales from "./VenueSales.ts"

/** The fee recipient has the fee already. */
const NOTHING = Effect.succeed(0n)

const make = Effect.fnUntraced(function* (haircutBps: number) {
  const prices = yield* Prices
  const rehearse = yield* SaleRehearsal.make
  const sellInPools = yield* PoolSales.make
  const findSale = yield* VenueSales.make

  /** Wei by prices that count. None if no source has a price of the token. */
  const byPrice = Effect.fnUntraced(function* (
    chain: Chain.Chain,
    token: Address.Address,
    decimals: number,
    amount: bigint
  ) {
    const known = yield* prices.detailed(chain.id, [
      { address: NATIVE, decimals: 18 },
      { address: token, decimals }
    ])
    if (!known.has(token)) return Option.none<bigint>()
    const [native = 0n, usd = 0n] = [NATIVE, token].map((address) => {
      const price = known.get(address)
      return price?.isForDisplay === true ? 0n : price?.usd
    })
    return Option.some(native === 0n ? 0n : (amount * usd * 10n ** 18n) / (native * 10n ** BigInt(decimals)))
  })

  const bySale = Effect.fnUntraced(function* (
    client: ChainClient,
    token: Address.Address,
    amount: bigint,
    unpaid: UnpaidFee | undefined
  ) {
    const { feeRecipient: seller } = client.chain
    const { beside = NOTHING, holder = seller } = unpaid ?? {}
    const fee = { token, amount, holder }
    const inPools = yield* sellInPools(client, fee, beside)
    const find = (sold: bigint) => findSale(client, { token, amount: sold, seller, isHeld: holder === seller, beside })
    /** Failure of exchanges that did not answer when the sale was offered last. */
    const silence = yield* Ref.make<ChainUnavailable | undefined>(undefined)
    const offerOf = (sold: bigint) =>
      find(sold).pipe(
        Effect.tap((offer) => Ref.set(silence, Option.getOrUndefined(offer)?.unanswered)),
        Effect.catchTag("ChainUnavailable", (unavailable) => Effect.as(Ref.set(silence, unavailable), Option.none()))
      )
    // Uniswap v3 does not sell tokens with a fee on transfer, whatever pools they have there.
    const elsewhere = inPools.isDeep ? undefined : yield* rehearse(client, fee, offerOf)
    const wei = elsewhere?.wei ?? 0n
    // A recipient that was paid and holds nothing proves nothing: it may have moved the fee, or the node may be behind.
    const isUnpaid = unpaid !== undefined && elsewhere?.isUnpaid === true
    const got = wei > inPools.wei ? wei : inPools.wei
    const known = (got * (BPS - BigInt(haircutBps))) / BPS
    const unanswered = yield* Ref.get(silence)
    // No exchange pays for a fee that does not arrive.
    if (unanswered === undefined || isUnpaid) return known
    // A fee that is paid for is not refused because other exchanges do not answer.
    if (unpaid !== undefined && known >= unpaid.charged) return known
    if (known === 0n) return yield* unanswered
    return yield* new FeeUncertain({ atLeast: known, silence: unanswered })
  })

  const realisable: FeeValue["Service"]["realisable"] = Effect.fn("FeeSale.realisable")(
    function* (client, token, amount, unpaid) {
      const { chain } = client
      if (amount === 0n) return 0n
      if (Chain.erc20(chain, token) === chain.wrappedNative) return amount
      const listed = Chain.token(chain, token)
      const priced = Option.isSome(listed) ? yield* byPrice(chain, token, listed.value.decimals, amount) : Option.none()
      return Option.isSome(priced) ? priced.value : yield* bySale(client, token, amount, unpaid)
    }
  )

  return FeeValue.of({ realisable })
})

/** `haircutBps`: part of a sale's proceeds that does not count, in basis points. */
export const layer = (haircutBps: number) =>
  Layer.effect(FeeValue, make(haircutBps)).pipe(Layer.provide(KnownPools.layer))
