/** Checks of a sweep of many orders: its parties, its chains and its signatures. */
import { Array, Effect, Option } from "effect"
import { type Address, zero } from "../../domain/Address.ts"
import { accountCode, type Authorization } from "../../domain/Delegation.ts"
import * as Generations from "../../domain/Generations.ts"
import type { Hex } from "../../domain/Hex.ts"
import * as Signature from "../../domain/Signature.ts"
import * as SweepBatch from "../../domain/SweepBatch.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { Signatures } from "../../ports/orchestrator/Signatures.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Pauses from "../shared/Pauses.ts"
import { authorizationRefusal, countedFeeRefusal, refuse } from "./SubmissionRefused.ts"

/** A quoted intent with its source chain. */
export interface Leg {
  readonly intent: Intent
  readonly client: ChainClient
}

/** In signing order. */
export type Legs = readonly [Leg, ...ReadonlyArray<Leg>]

/** Signatures of an owner. */
export interface Signed {
  /** Of the batch. */
  readonly signature: Hex
  /** One for each chain where the account does not run the delegate. */
  readonly authorizations: ReadonlyArray<Authorization>
}

/** The chains of the legs, each once. */
const chainsOf = (legs: Legs): ReadonlyArray<ChainClient> => [
  ...new Map(legs.map(({ client }) => [client.chain.id, client])).values()
]

/** Makes `checkParties(legs)`: screening of all parties, and the state of the chains. */
export const makeCheckParties = Effect.gen(function* () {
  const screening = yield* Screening
  const pauses = yield* Pauses.make

  return Effect.fnUntraced(function* (legs: Legs) {
    const screen = ({ chain }: ChainClient) => {
      const parties = legs.flatMap(({ client, intent: { order } }) =>
        client.chain.id === chain.id ? [order.owner, order.destination, order.builder] : []
      )
      return screening
        .clear(
          chain.id,
          [...new Set(parties)].filter((party) => party !== zero)
        )
        .pipe(
          Effect.mapError(({ cause }) =>
            cause === "listed"
              ? refuse("screening_blocked", `a party is listed on ${chain.name}`)
              : refuse("screening_unavailable", `screening on ${chain.name} did not answer`)
          )
        )
    }
    yield* Effect.forEach(chainsOf(legs), screen, { concurrency: "unbounded", discard: true })
    for (const { client, intent } of legs) {
      const { chain } = client
      const paused = yield* pauses.ofIntent(intent)
      if (paused !== undefined) return yield* refuse("chain_paused", Pauses.explained(paused))
      if (Generations.known(chain, intent.order.nonce) !== chain.contracts) {
        return yield* refuse("outdated_contracts", `${intent.id} is for other contracts of ${chain.name}`)
      }
      const counted = countedFeeRefusal(chain, intent.order, chain.feeRecipient)
      if (counted !== undefined) return yield* counted
    }
  })
})

/** Makes `checkSignatures(legs, submission)`: the owner signed the batch, and an authorization for each chain that needs one. */
export const makeCheckSignatures = Effect.gen(function* () {
  const signatures = yield* Signatures
  const { domainName } = yield* OrchestratorSettings

  /** Every chain has an authorization of the owner for its delegate, or the account runs the delegate there. */
  const checkAuthorizations = Effect.fnUntraced(function* (
    legs: Legs,
    owner: Address,
    authorizations: ReadonlyArray<Authorization>
  ) {
    const clients = chainsOf(legs)
    const given = new Map(authorizations.map((each) => [each.chainId, each]))
    const stray = authorizations.find(({ chainId }) => !clients.some(({ chain }) => chain.id === chainId))
    if (stray !== undefined || given.size < authorizations.length) {
      return yield* refuse(
        "wrong_authorization_chain",
        `authorizations are for ${authorizations.map((a) => a.chainId)}`
      )
    }
    yield* Effect.forEach(
      clients,
      Effect.fnUntraced(function* (client) {
        const { chain } = client
        const { delegate } = chain.contracts
        const authorization = given.get(chain.id)
        if (authorization !== undefined) {
          const refusal = authorizationRefusal(chain, authorization, delegate)
          if (refusal !== undefined) return yield* refusal
          const authority = yield* signatures.recoverAuthority(authorization)
          if (Option.getOrUndefined(authority) === owner) return
          return yield* refuse("bad_authorization", `the authorization for ${chain.name} was not signed by the owner`)
        }
        const code = yield* client
          .code(owner)
          .pipe(Effect.mapError(({ message }) => refuse("chain_unavailable", message)))
        const account = accountCode(code)
        if (account._tag === "Delegated" && account.delegate === delegate) return
        return yield* refuse("missing_authorization", `the account does not run the delegate on ${chain.name}`)
      }),
      { concurrency: "unbounded", discard: true }
    )
  })

  return Effect.fnUntraced(function* (legs: Legs, { authorizations, signature }: Signed) {
    const { owner } = legs[0].intent.order
    const batch = Array.map(legs, ({ client, intent }) => ({ chainId: client.chain.id, order: intent.order }))
    const signer = yield* signatures.recover(SweepBatch.digest(batch, domainName), Signature.normalized(signature))
    if (Option.getOrUndefined(signer) !== owner) {
      return yield* refuse("bad_signature", "the batch was not signed by the owner of its orders")
    }
    yield* checkAuthorizations(legs, owner, authorizations)
  })
})
