/** Pauses that hold now: those of the settings, with the choices of the operator in their place. */
import { type Array, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as Pause from "../../domain/Pause.ts"
import { NATIVE } from "../../domain/Token.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { Override } from "../../ports/shared/Overrides.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { KeptOverrides } from "../../runtime/KeptOverrides.ts"
import { OrchestratorSettings } from "./OrchestratorSettings.ts"

const PREFIX = "pause:"

/** Name of the override of a subject. */
export const overrideName = (subject: Pause.PauseSubject): string => `${PREFIX}${Pause.nameOf(subject)}`

/** The choices among overrides, with who made them. Names of later releases are left out. */
export const choicesOf = (overrides: ReadonlyArray<Override>): ReadonlyArray<Pause.PauseChoice & Override> =>
  overrides.flatMap((each) => {
    const subject = each.name.startsWith(PREFIX) ? Pause.parse(each.name.slice(PREFIX.length)) : undefined
    const { value } = each
    return subject !== undefined && (value === "paused" || value === "running")
      ? [{ ...each, subject, state: value }]
      : []
  })

/** The forms of a token that are paused together: itself, or the wrapped and then the native form of the native currency. */
export const formsOf = (
  chain: Chain.Chain | undefined,
  token: Address.Address
): Array.NonEmptyReadonlyArray<Address.Address> =>
  chain !== undefined && Chain.erc20(chain, token) === chain.wrappedNative ? [chain.wrappedNative, NATIVE] : [token]

/** Facts of a request that decide if it is paused. */
export interface Wanted {
  readonly sourceChainId: ChainId
  readonly destChainId: ChainId
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
  readonly builderId?: string | undefined
}

/** Explains a pause for logs and operators. */
export const explained = (subject: Pause.PauseSubject): string => `the operator has paused ${Pause.nameOf(subject)}`

/**
 * Makes `of(wanted)` and `ofIntent(intent)`, which return the subject for which a sweep is paused, `ofChain(chainId)`, which says for
 * which subject nothing starts on a chain, and `ofBuilder(builderId)`. All return undefined if there is none.
 */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const { current } = yield* KeptOverrides
  const { pausedChains } = (yield* OrchestratorSettings).relayer
  const served = new Map(chains.all.map(({ chain }) => [chain.id, chain]))

  const find = (facts: Pause.SweepFacts) =>
    Effect.map(current, (overrides) => Pause.pauseOf(Pause.pausedNames(pausedChains, choicesOf(overrides)), facts))

  const tokensOf = (chainId: ChainId, token: Address.Address) =>
    formsOf(served.get(chainId), token).map((form) => ({ chainId, token: form }))

  const of = ({ builderId, destChainId, sourceChainId, tokenIn, tokenOut }: Wanted) =>
    find({
      chainIds: [sourceChainId, destChainId],
      tokens: [...tokensOf(sourceChainId, tokenIn), ...tokensOf(destChainId, tokenOut)],
      builderId
    })

  const ofIntent = ({ attributed, order, quote: { sourceChainId } }: Pick<Intent, "attributed" | "order" | "quote">) =>
    of({
      sourceChainId,
      destChainId: Number(order.destChainId),
      tokenIn: order.tokenIn,
      tokenOut: order.tokenOut,
      builderId: attributed?.builderId
    })

  const ofChain = (chainId: ChainId) => find({ chainIds: [chainId], tokens: [] })
  const ofBuilder = (builderId: string) => find({ chainIds: [], tokens: [], builderId })

  return { of, ofBuilder, ofChain, ofIntent }
})
