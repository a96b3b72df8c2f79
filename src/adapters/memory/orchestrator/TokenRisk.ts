/**
 * {@link TokenRisk} from a table that tests can change. Addresses outside the table are not tokens; a token in it can
 * be declined.
 */
import { Context, Effect, Layer, Ref } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import { ChainUnavailable } from "../../../ports/shared/Chains.ts"
import { TokenDeclined, type TokenProfile, TokenRisk } from "../../../ports/orchestrator/TokenRisk.ts"

export interface KnownToken extends TokenProfile {
  readonly chainId: ChainId
  readonly address: Address.Address
  /** Reason to decline the token, whatever the owner holds. */
  readonly declined?: TokenDeclined["reason"]
  /** Balance of each owner. Absent: enough. */
  readonly balances?: ReadonlyMap<Address.Address, bigint>
}

export interface State {
  readonly tokens: ReadonlyArray<KnownToken>
  readonly available: boolean
}

/** The test's handle on the adapter. */
export class TokenRiskState extends Context.Service<TokenRiskState, Ref.Ref<State>>()(
  "sweep/adapters/memory/TokenRiskState"
) {}

export const layer = (initial: Partial<State> = {}): Layer.Layer<TokenRisk | TokenRiskState> =>
  Layer.effect(
    TokenRisk,
    Effect.map(TokenRiskState, (state) => ({
      describe: Effect.fnUntraced(function* (chainId, token) {
        const { available, tokens } = yield* Ref.get(state)
        if (!available) return yield* new ChainUnavailable({ chainId, method: "eth_call", detail: "turned off" })
        const known = tokens.find((each) => each.chainId === chainId && each.address === token)
        if (known === undefined) {
          return yield* new TokenDeclined({ token, reason: "not_a_token", detail: "by the table" })
        }
        return { symbol: known.symbol, decimals: known.decimals }
      }),
      screenInput: Effect.fn("TokenRisk.screenInput")(function* ({ amount, chainId, owner, token }) {
        const { available, tokens } = yield* Ref.get(state)
        if (!available) return yield* new ChainUnavailable({ chainId, method: "eth_call", detail: "turned off" })
        const known = tokens.find((each) => each.chainId === chainId && each.address === token)
        const declined = (reason: TokenDeclined["reason"]) =>
          new TokenDeclined({ token, reason, detail: "by the table" })
        if (known === undefined) return yield* declined("not_a_token")
        if (known.declined !== undefined) return yield* declined(known.declined)
        if (known.balances !== undefined && (known.balances.get(owner) ?? 0n) < amount) {
          return yield* declined("insufficient_balance")
        }
        const { decimals, symbol, tier, transferFeeBps } = known
        return { tier, symbol, decimals, ...(transferFeeBps === undefined ? {} : { transferFeeBps }) }
      })
    }))
  ).pipe(Layer.provideMerge(Layer.effect(TokenRiskState, Ref.make({ tokens: [], available: true, ...initial }))))
