/** Finds out which claimed sweeps would settle now, and what each of them needs; all of them by one simulation. */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { isZero } from "../../domain/Address.ts"
import { choose } from "../../domain/AuthorizationChoice.ts"
import { accountCode, type Authorization, designator } from "../../domain/Delegation.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import { simulationGasLimit, type SweepGas } from "../../domain/RelayGas.ts"
import type { Cause } from "../../domain/SweepVerdict.ts"
import type { AccountState, ChainClient, ChainUnavailable, SimulatedCall } from "../../ports/shared/Chains.ts"
import type { Intent, Submission } from "../../ports/orchestrator/Intents.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as RelayBudgets from "./Budgets.ts"

/** A claimed intent with its signatures. */
export type Signed = Intent & { readonly submission: Submission }

/** A sweep that would settle in the next block. */
export interface Ready {
  readonly intent: Signed
  /** Calldata of `execute`. */
  readonly data: Hex
  readonly gas: SweepGas
  /** What has to be attached; absent where the account runs our delegate already. */
  readonly authorization: Authorization | undefined
}

/** `Later`: for a passing reason. `text` is for people. */
export type Preparation =
  | { readonly _tag: "Ready"; readonly ready: Ready }
  | { readonly _tag: "Unfit"; readonly intent: Signed; readonly cause: Cause; readonly text: string }
  | { readonly _tag: "Later"; readonly intent: Signed; readonly text: string }

type Candidate = Omit<Ready, "gas">

export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const overBudget = yield* RelayBudgets.make
  const screening = yield* Screening
  const settings = yield* OrchestratorSettings

  const clearance = (client: ChainClient, intents: ReadonlyArray<Intent>) => {
    const parties = intents.flatMap(({ order }) => [order.owner, order.destination, order.builder])
    return screening
      .clear(
        client.chain.id,
        [...new Set(parties)].filter((party) => !isZero(party))
      )
      .pipe(
        Effect.as("clear" as const),
        Effect.catchTag("ScreeningBlocked", (blocked) => Effect.succeed(blocked.cause))
      )
  }

  /** Clearances older than their lifetime are asked for again, all at once; if that fails, to know whom it is about, one by one. */
  const screen = Effect.fnUntraced(function* (client: ChainClient, claimed: ReadonlyArray<Signed>) {
    const nowMs = yield* Clock.currentTimeMillis
    const isOld = ({ submittedAtMs = 0 }: Intent) => nowMs - submittedAtMs > settings.clearanceLifetimeMillis
    const old = claimed.filter(isOld)
    const verdicts = new Map<string, "clear" | "listed" | "unavailable">()
    if (old.length === 0 || (yield* clearance(client, old)) === "clear") return verdicts
    yield* Effect.forEach(
      old,
      (intent) => Effect.map(clearance(client, [intent]), (verdict) => verdicts.set(intent.id, verdict)),
      { concurrency: "unbounded", discard: true }
    )
    return verdicts
  })

  const choice = Effect.fnUntraced(function* (
    client: ChainClient,
    { order, submission }: Signed,
    { code, pendingCount: pending }: AccountState
  ) {
    const { chain } = client
    const { authorization } = submission
    const account = accountCode(code)
    // What is in the newest block matters only to tell a used up authorization from one that may yet apply.
    const latest = pending === authorization.nonce ? pending : yield* client.transactionCount(order.owner, "latest")
    return choose({
      account,
      authorization,
      accountNonce: { latest, pending },
      chainId: chain.id,
      delegate: chain.contracts.delegate
    })
  })

  const choicesOf = Effect.fnUntraced(function* (client: ChainClient, claimed: ReadonlyArray<Signed>) {
    const accounts = yield* client.accounts(claimed.map(({ order }) => order.owner))
    return yield* Effect.forEach(claimed, (intent, index) => {
      const account = accounts[index]
      return account === undefined
        ? Effect.die(new Error("fewer accounts than were asked for"))
        : choice(client, intent, account)
    })
  })

  const simulate = (client: ChainClient, lane: Address.Address, candidates: ReadonlyArray<Candidate>) => {
    const code = designator(client.chain.contracts.delegate)
    const undelegated = candidates.filter(({ authorization }) => authorization !== undefined)
    return client.simulate(
      candidates.map(({ data, intent }) => ({
        from: lane,
        to: intent.order.owner,
        data,
        gas: simulationGasLimit(intent.gas)
      })),
      undelegated.length === 0
        ? {}
        : { codeOverrides: undelegated.map(({ intent }) => ({ address: intent.order.owner, code })) }
    )
  }

  const explain = Effect.fnUntraced(function* (
    client: ChainClient,
    intent: Signed,
    returnData: Hex
  ): Effect.fn.Return<Preparation, ChainUnavailable> {
    const { order } = intent
    const revert = contracts.decodeRevert(returnData)
    if (revert.name === "NonceUsed" || revert.name === "Expired") {
      return { _tag: "Unfit", intent, cause: { _tag: "Unsent" }, text: revert.text }
    }
    const balance = yield* contracts.balanceOf(client, order.tokenIn, order.owner)
    return unfit(intent, balance < order.amountIn ? "insufficient_balance" : "simulation_failed", revert.text)
  })

  /** A sweep that failed behind others is tried by itself: another one's doing must not make it fail for good. */
  const failed = Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    candidate: Candidate,
    seen: SimulatedCall | undefined,
    isAlone: boolean
  ): Effect.fn.Return<Preparation, ChainUnavailable> {
    const { intent } = candidate
    const alone = isAlone ? seen : (yield* simulate(client, lane, [candidate]))[0]
    if (alone !== undefined && settles(alone))
      return { _tag: "Later", intent, text: "it would fail behind the others of its batch" }
    return yield* explain(client, intent, alone?.returnData ?? "0x")
  })

  return Effect.fn("Relay.prepare")(function* (
    client: ChainClient,
    lane: Address.Address,
    claimed: ReadonlyArray<Signed>
  ): Effect.fn.Return<ReadonlyArray<Preparation>, ChainUnavailable | StoreUnavailable> {
    const [beyond, screened, choices] = yield* Effect.all(
      [overBudget(client, claimed), screen(client, claimed), choicesOf(client, claimed)],
      { concurrency: "unbounded" }
    )
    const candidates: Array<Candidate> = []
    const dropped: Array<Preparation> = []
    for (const [index, intent] of claimed.entries()) {
      const chosen = choices[index]
      const verdict = screened.get(intent.id) ?? "clear"
      const excess = beyond.get(intent.id)
      if (excess !== undefined) dropped.push(unfit(intent, "failure_budget_spent", excess))
      else if (verdict === "listed") dropped.push(unfit(intent, "screening_blocked", "a party to the order is listed"))
      else if (verdict === "unavailable") {
        dropped.push({ _tag: "Later", intent, text: "screening gave no answer" })
      } else if (chosen === undefined || chosen._tag === "Later") {
        dropped.push({ _tag: "Later", intent, text: "the owner has a pending transaction" })
      } else if (chosen._tag === "Refuse") dropped.push(unfit(intent, chosen.reason, chosen.detail))
      else {
        const { authorization, signature } = intent.submission
        candidates.push({
          intent,
          data: contracts.encodeExecute(intent.order, signature),
          authorization: chosen._tag === "Attach" ? authorization : undefined
        })
      }
    }
    if (candidates.length === 0) return dropped
    const simulated = yield* simulate(client, lane, candidates)
    const outcomes = yield* Effect.forEach(
      candidates,
      (candidate, index) => {
        const seen = simulated[index]
        return seen !== undefined && settles(seen)
          ? Effect.succeed<Preparation>({
              _tag: "Ready",
              ready: { ...candidate, gas: { simulated: seen.gasUsed, quoted: candidate.intent.gas } }
            })
          : failed(client, lane, candidate, seen, candidates.length === 1)
      },
      { concurrency: "unbounded" }
    )
    return [...dropped, ...outcomes]
  })
})

/** An account without our code accepts any call and does nothing, so the returned amount is asked for as well. */
const settles = (call: SimulatedCall): boolean => call.success && size(call.returnData) === 32

const unfit = (
  intent: Signed,
  reason: (Cause & { readonly _tag: "Refused" })["reason"],
  text: string
): Preparation => ({ _tag: "Unfit", intent, cause: { _tag: "Refused", reason }, text })
