/**
 * {@link TokenRisk} without a risk service. The chain's token list decides the tier, and a simulated transfer on the latest
 * state decides if the token can be swept.
 */
import { Cache, Effect, Exit, Fiber, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { toHex } from "viem"
import * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { isNative } from "../../domain/Token.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { TokenDeclined, type TokenProfile, TokenRisk } from "../../ports/orchestrator/TokenRisk.ts"
import * as TokenMetadata from "./TokenMetadata.ts"
import * as TransferProbe from "./TransferProbe.ts"

/** Maximum number of cached unlisted tokens on all chains. */
const CACHE_CAPACITY = 10_000

/** Upgradeable tokens may be renamed, so metadata expires. */
const CACHE_LIFETIME = "1 day"

/** `maxTransferFeeBps`: part of a transfer that a token may take, in basis points. */
export const make = Effect.fnUntraced(function* (maxTransferFeeBps: number) {
  const chains = yield* Chains
  const keys = yield* RelayerKeys
  const probe = TransferProbe.make()
  const random = yield* SecureRandom.SecureRandom

  const client = (chainId: ChainId) =>
    Effect.mapError(
      chains.get(chainId),
      (error) => new ChainUnavailable({ chainId, method: "configuration", detail: error.message })
    )

  const unlisted = yield* Cache.makeWith(
    Effect.fnUntraced(function* (key: { readonly chainId: ChainId; readonly token: Address.Address }) {
      return yield* TokenMetadata.read(yield* client(key.chainId), key.token)
    }),
    { capacity: CACHE_CAPACITY, timeToLive: (exit) => (Exit.isSuccess(exit) ? CACHE_LIFETIME : 0) }
  )

  const metadata = (chain: Chain.Chain, token: Address.Address) =>
    Option.match(Chain.token(chain, token), {
      onSome: ({ decimals, symbol }) => Effect.succeed({ decimals, symbol }),
      onNone: () => Cache.get(unlisted, { chainId: chain.id, token })
    })

  const native = Effect.fnUntraced(function* (on: ChainClient, owner: Address.Address, amount: bigint) {
    const balance = yield* on.balance(owner)
    if (balance >= amount) return
    const detail = `the owner holds ${balance} of ${amount}`
    return yield* new TokenDeclined({ token: on.chain.nativeSymbol, reason: "insufficient_balance", detail })
  })

  /**
   * Two recipients, because tokens may treat accounts differently: a random one that no token can know, and the fee
   * recipient, which every sweep pays first. The owner is left out, because a transfer to itself shows nothing.
   */
  const transfers = Effect.fnUntraced(function* (on: ChainClient, transfer: Omit<TransferProbe.Transfer, "recipient">) {
    const stranger = Address.of(toHex(yield* random.randomBytes(20)))
    const [sender] = keys.lanes(on.chain.id)
    const recipients = [stranger, on.chain.feeRecipient].filter((recipient) => recipient !== transfer.owner)
    const fees = yield* Effect.forEach(recipients, (recipient) => probe(on, { ...transfer, recipient, sender }), {
      concurrency: "unbounded"
    })
    const transferFeeBps = Math.max(0, ...fees)
    if (transferFeeBps <= maxTransferFeeBps) return transferFeeBps === 0 ? {} : { transferFeeBps }
    const detail = `it takes ${transferFeeBps} basis points, and TRANSFER_FEE_MAX_BPS is ${maxTransferFeeBps}`
    return yield* new TokenDeclined({ token: transfer.token, reason: "transfer_taxed", detail })
  })

  const screenInput: TokenRisk["Service"]["screenInput"] = Effect.fn("TokenRisk.screenInput")(function* ({
    amount,
    chainId,
    owner,
    token
  }) {
    const on = yield* client(chainId)
    const screened = yield* Effect.forkChild(
      isNative(token) ? Effect.as(native(on, owner, amount), {}) : transfers(on, { token, owner, amount })
    )
    // An address that is not a token is declined for that, and not for the transfer that fails.
    const { decimals, symbol } = yield* metadata(on.chain, token)
    const fee = yield* Fiber.join(screened)
    return { tier: Chain.listedTier(on.chain, token), symbol, decimals, ...fee } satisfies TokenProfile
  })

  const describe: TokenRisk["Service"]["describe"] = (chainId, token) =>
    Effect.flatMap(client(chainId), (on) => metadata(on.chain, token))

  return TokenRisk.of({ describe, screenInput })
})

/** `maxTransferFeeBps`: see {@link make}. Default: tokens that take a fee are declined. */
export const layer = (maxTransferFeeBps = 0) => Layer.effect(TokenRisk, make(maxTransferFeeBps))
