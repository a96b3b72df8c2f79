/**
 * Decides which authorizations go into the transaction. A sweep is refused because of its owner's account only if a second endpoint
 * returns the same account, since one endpoint could otherwise end every sweep that it is asked about.
 */
import { Effect } from "effect"
import { type AuthorizationChoice, choose } from "../../domain/AuthorizationChoice.ts"
import { accountCode } from "../../domain/Delegation.ts"
import * as Generations from "../../domain/Generations.ts"
import type { AccountState, ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { Signed } from "./Prepared.ts"

/** The endpoints do not agree in the account, or did not answer again. `detail` says why, for people. */
interface Doubted {
  readonly _tag: "Doubted"
  readonly detail: string
}

export type Choice = AuthorizationChoice | Doubted

const chooseBy = Effect.fnUntraced(function* (
  client: ChainClient,
  { order, submission }: Signed,
  { code, pendingCount: pending }: AccountState
): Effect.fn.Return<AuthorizationChoice, ChainUnavailable> {
  const { chain } = client
  const { authorization } = submission
  // The newest block matters only to tell a used authorization from one that may still apply.
  const latest =
    authorization === undefined || pending === authorization.nonce
      ? pending
      : yield* client.transactionCount(order.owner, "latest")
  return choose({
    account: accountCode(code),
    authorization,
    accountNonce: { latest, pending },
    chainId: chain.id,
    delegate: Generations.ofNonce(chain, order.nonce).delegate
  })
})

const isSame = (one: AuthorizationChoice, other: AuthorizationChoice): boolean =>
  one._tag === "Refuse" && other._tag === "Refuse" ? one.reason === other.reason : one._tag === other._tag

const DOUBT = "its owner's account has changed, or endpoints return different ones"

/** Reads the owner's account again, on two endpoints. */
const confirmedAccount = Effect.fnUntraced(
  function* (
    client: ChainClient,
    intent: Signed,
    refused: AuthorizationChoice
  ): Effect.fn.Return<Choice, ChainUnavailable> {
    const again = Effect.gen(function* () {
      const [account] = yield* client.accounts([intent.order.owner])
      return account === undefined
        ? yield* Effect.die(new Error("the node returned no account"))
        : yield* chooseBy(client, intent, account)
    })
    const chosen = yield* client.corroborated(again, { isSame })
    return isSame(chosen, refused) ? refused : { _tag: "Doubted", detail: DOUBT }
  },
  Effect.catchTag("ChainUnavailable", ({ message }) => Effect.succeed<Choice>({ _tag: "Doubted", detail: message }))
)

/** The choice for a sweep whose owner has this account. */
export const choiceOf = Effect.fnUntraced(function* (
  client: ChainClient,
  intent: Signed,
  account: AccountState
): Effect.fn.Return<Choice, ChainUnavailable> {
  const chosen = yield* chooseBy(client, intent, account)
  return chosen._tag === "Refuse" ? yield* confirmedAccount(client, intent, chosen) : chosen
})
