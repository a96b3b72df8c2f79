/** Accepts many orders that their owner signed once (domain/SweepBatch): all of them or none, stored before the response. */
import { Array, Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Address, zero } from "../../domain/Address.ts"
import { accountCode, type Authorization } from "../../domain/Delegation.ts"
import * as Generations from "../../domain/Generations.ts"
import type { Hex } from "../../domain/Hex.ts"
import { withRecoveryByte } from "../../domain/Signature.ts"
import * as SweepBatch from "../../domain/SweepBatch.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { Signatures } from "../../ports/orchestrator/Signatures.ts"
import type { NewLeg } from "../../ports/orchestrator/Sweeps.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as Covering from "./Covering.ts"
import type { Accepted } from "./Intake.ts"
import * as Reserving from "./Reserving.ts"
import { authorizationRefusal, refuse, SubmissionRefused } from "./SubmissionRefused.ts"

/** A batch that an owner signed. */
export interface SweepSubmission {
  /** In signing order, each once. */
  readonly quoteIds: ReadonlyArray<string>
  /** Of the batch. */
  readonly signature: Hex
  /** One for each chain where the account does not run the delegate. */
  readonly authorizations: ReadonlyArray<Authorization>
  /** Network of the client. */
  readonly network?: string | undefined
}

export interface AcceptedSweep {
  readonly id: string
  /** In signing order. */
  readonly intents: ReadonlyArray<Accepted>
}

/** A quoted intent with its source chain. */
interface Leg {
  readonly intent: Intent
  readonly client: ChainClient
}

type Legs = readonly [Leg, ...ReadonlyArray<Leg>]

export class SweepIntake extends Context.Service<
  SweepIntake,
  {
    /** Checks and stores a sweep. Fails with {@link SubmissionRefused} at the first check that fails. */
    readonly submit: (submission: SweepSubmission) => Effect.Effect<AcceptedSweep, SubmissionRefused | StoreUnavailable>
    /** An identical sweep that was accepted earlier, in its present state; none when there is none. */
    readonly accepted: (submission: SweepSubmission) => Effect.Effect<Option.Option<AcceptedSweep>, StoreUnavailable>
  }
>()("sweep/orchestrator/SweepIntake") {
  static readonly layer = Layer.effect(
    SweepIntake,
    Effect.gen(function* () {
      const intents = yield* Intents
      const legsOf = yield* makeLegsOf
      const checkParties = yield* makeCheckParties
      const checkSignatures = yield* makeCheckSignatures
      const reserveAll = yield* makeReserveAll
      const waitsFor = yield* Covering.make
      const random = yield* SecureRandom.SecureRandom

      const submit = Effect.fn("SweepIntake.submit")(function* (submission: SweepSubmission) {
        const { authorizations, network, quoteIds } = submission
        const legs = yield* legsOf(quoteIds)
        yield* checkParties(legs)
        yield* checkSignatures(legs, submission)
        yield* reserveAll(legs, network)
        const waits = yield* Effect.forEach(legs, ({ client, intent }) => waitsFor(client, intent), {
          concurrency: "unbounded"
        })
        const id = yield* random.uuidV4()
        const stored = legs.map(({ client: { chain }, intent }, index): NewLeg => {
          const authorization = authorizations.find(({ chainId }) => chainId === chain.id)
          const waitingFor = waits[index]
          return {
            intentId: intent.id,
            legHash: SweepBatch.legHash({ chainId: chain.id, order: intent.order }),
            ...(authorization === undefined ? {} : { authorization }),
            ...(waitingFor === undefined ? {} : { waitingFor })
          }
        })
        yield* intents
          .submitSweep({
            id,
            owner: legs[0].intent.order.owner,
            signature: withRecoveryByte(submission.signature),
            legs: stored,
            ...(network === undefined ? {} : { network })
          })
          .pipe(
            Effect.catchTag("IllegalTransition", ({ from }) =>
              Effect.fail(refuse("already_submitted", `an intent is ${from}`))
            )
          )
        yield* Effect.logInfo("sweep.batch_submitted").pipe(
          Effect.annotateLogs({ sweepId: id, intents: stored.length })
        )
        return {
          id,
          intents: stored.map(({ intentId, waitingFor }) => ({
            id: intentId,
            status: "submitted" as const,
            ...(waitingFor === undefined ? {} : { waitingFor })
          }))
        }
      }, Priority.at("intake"))

      const accepted = Effect.fn("SweepIntake.accepted")(function* ({ quoteIds, signature }: SweepSubmission) {
        const found = yield* intents.findAll(quoteIds)
        const known = new Map(found.map((intent) => [intent.id, intent]))
        const sweepId = found[0]?.submission?.batch?.sweepId
        const signed = withRecoveryByte(signature)
        const isSame = quoteIds.every((id, index) => {
          const submission = known.get(id)?.submission
          const batch = submission?.batch
          return (
            submission?.signature === signed &&
            batch?.sweepId === sweepId &&
            batch?.leg === index &&
            batch.legHashes.length === quoteIds.length
          )
        })
        if (sweepId === undefined || !isSame) return Option.none<AcceptedSweep>()
        const legs = quoteIds.flatMap((id): ReadonlyArray<Accepted> => {
          const intent = known.get(id)
          if (intent === undefined) return []
          const { status, txHash } = intent
          return [{ id, status, ...(txHash === undefined ? {} : { txHash }) }]
        })
        return Option.some<AcceptedSweep>({ id: sweepId, intents: legs })
      })

      return SweepIntake.of({ submit, accepted })
    })
  ).pipe(Layer.provide(StandingAlerts.layer))
}

/** Makes `legsOf(quoteIds)`: the open quotes of one owner, with their chains. */
const makeLegsOf = Effect.gen(function* () {
  const chains = yield* Chains
  const intents = yield* Intents

  return Effect.fnUntraced(function* (quoteIds: ReadonlyArray<string>) {
    const known = new Map((yield* intents.findAll(quoteIds)).map((intent) => [intent.id, intent]))
    const nowMs = yield* Clock.currentTimeMillis
    const legs = yield* Effect.forEach(quoteIds, (id) =>
      Effect.gen(function* () {
        const intent = known.get(id)
        if (intent === undefined) return yield* refuse("unknown_quote", id)
        const { quote, status } = intent
        if (nowMs >= quote.expiresAtMs) return yield* refuse("expired_quote", `${id} expired at ${quote.expiresAtMs}`)
        if (status !== "quoted") return yield* refuse("already_submitted", `the intent ${id} is ${status}`)
        const client = yield* chains
          .get(quote.sourceChainId)
          .pipe(Effect.mapError((error) => refuse("unknown_quote", error.message)))
        return { intent, client } satisfies Leg
      })
    )
    const [first, ...others] = legs
    if (first === undefined) return yield* refuse("unknown_quote", "the sweep has no quotes")
    if (others.some(({ intent }) => intent.order.owner !== first.intent.order.owner)) {
      return yield* refuse("different_owners", "the quotes are of several owners")
    }
    return [first, ...others] satisfies Legs
  })
})

/** The chains of the legs, each once. */
const chainsOf = (legs: Legs): ReadonlyArray<ChainClient> => [
  ...new Map(legs.map(({ client }) => [client.chain.id, client])).values()
]

/** Makes `checkParties(legs)`: screening of all parties, and the state of the chains. */
const makeCheckParties = Effect.gen(function* () {
  const screening = yield* Screening
  const { pausedChains } = (yield* OrchestratorSettings).relayer

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
      if (pausedChains.includes(chain.id)) {
        return yield* refuse("chain_paused", `${chain.name} is paused in RELAYER_PAUSED_CHAINS`)
      }
      if (Generations.ofNonce(chain, intent.order.nonce) !== chain.contracts) {
        return yield* refuse("outdated_contracts", `${intent.id} is for earlier contracts of ${chain.name}`)
      }
    }
  })
})

/** Makes `checkSignatures(legs, submission)`: the owner signed the batch, and an authorization for each chain that needs one. */
const makeCheckSignatures = Effect.gen(function* () {
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

  return Effect.fnUntraced(function* (legs: Legs, { authorizations, signature }: SweepSubmission) {
    const { owner } = legs[0].intent.order
    const batch = Array.map(legs, ({ client, intent }) => ({ chainId: client.chain.id, order: intent.order }))
    const signer = yield* signatures.recover(SweepBatch.digest(batch, domainName), withRecoveryByte(signature))
    if (Option.getOrUndefined(signer) !== owner) {
      return yield* refuse("bad_signature", "the batch was not signed by the owner of its orders")
    }
    yield* checkAuthorizations(legs, owner, authorizations)
  })
})

/** Makes `reserveAll(legs, network)`, which reserves the exposure of all legs, or of none. */
const makeReserveAll = Effect.gen(function* () {
  const exposures = yield* Exposures
  const reserve = yield* Reserving.make

  return Effect.fnUntraced(function* (legs: Legs, network: string | undefined) {
    const reserved: Array<string> = []
    for (const { client, intent } of legs) {
      const lack = yield* reserve(client, { ...intent, ...(network === undefined ? {} : { network }) })
      if (lack === undefined) {
        reserved.push(intent.id)
        continue
      }
      yield* exposures.release(reserved)
      return yield* new SubmissionRefused({
        reason: "budget_spent",
        detail: `the budget of ${lack.spent} has no room for ${intent.id}`,
        retryAfterMillis: ExposureDesk.pauseOf(lack)
      })
    }
  })
})
