/** Decides which claimed sweeps are sent now, which later and which not at all. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type AuthorizationChoice, choose } from "../../domain/AuthorizationChoice.ts"
import { accountCode } from "../../domain/Delegation.ts"
import type { ExposureClass } from "../../domain/Exposure.ts"
import * as Generations from "../../domain/Generations.ts"
import { size } from "../../domain/Hex.ts"
import { entryGas } from "../../domain/RelayGas.ts"
import { required } from "../../domain/TransactionGas.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { AccountState, ChainClient, ChainUnavailable, FeesPerGas } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import * as AccountCall from "./AccountCall.ts"
import * as Budgets from "./Budgets.ts"
import * as Clearance from "./Clearance.ts"
import * as FeeCoverage from "./FeeCoverage.ts"
import { shortfall } from "./FeeCoverWait.ts"
import * as FirstSweeps from "./FirstSweeps.ts"
import { type Candidate, type Later, later, laterWithoutRoom, type Prepared, type Signed, unfit } from "./Prepared.ts"
import * as Reserving from "./Reserving.ts"
import * as Trial from "./Trial.ts"

const LOSING = "the owner's account is not delegated, and sweeps of it failed on chain today"

const NO_ROOM = "the budget of first sweeps has no room for it"

const SPENT_PAUSE = ExposureDesk.pauseOf({ isBusy: false })

const choice = Effect.fnUntraced(function* (
  client: ChainClient,
  { order, submission }: Signed,
  { code, pendingCount: pending }: AccountState
) {
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

const choicesOf = Effect.fnUntraced(function* (client: ChainClient, claimed: ReadonlyArray<Signed>) {
  const owners = [...new Set(claimed.map(({ order }) => order.owner))]
  const states = yield* client.accounts(owners)
  const accounts = new Map(owners.map((owner, index) => [owner, states[index]]))
  return yield* Effect.forEach(claimed, (intent) => {
    const account = accounts.get(intent.order.owner)
    return account === undefined
      ? Effect.die(new Error(`the node returned ${states.length} accounts of ${owners.length}`))
      : choice(client, intent, account)
  })
})

/**
 * Makes `admit(candidate)`, which returns a first sweep that must wait for its budget, and `lacks`, the classes that had no room so far.
 * Every other sweep is admitted.
 */
const admission = (
  counter: FirstSweeps.Counter,
  fees: FeesPerGas,
  losing: ReadonlySet<Address.Address>,
  full: FirstSweeps.Owners["full"]
) => {
  const lacks = new Map<ExposureClass, FirstSweeps.Lack & { readonly wei: bigint }>()
  const admit = (candidate: Candidate): Later | undefined => {
    const { authorization, intent, pots } = candidate
    const withoutRoom = full.get(intent.order.owner)
    if (pots.length === 0 && withoutRoom === undefined) return undefined
    if (authorization !== undefined && losing.has(intent.order.owner)) return later(intent, LOSING, SPENT_PAUSE)
    const wei = Reserving.weiOf(fees, candidate)
    const lack = withoutRoom ?? counter.lack({ classes: pots, wei })
    if (lack === undefined) return undefined
    lacks.set(lack.spent, { ...lack, wei })
    return later(intent, NO_ROOM, ExposureDesk.pauseOf(lack))
  }
  return { admit, lacks }
}

const listedSweep =
  (fees: FeesPerGas) =>
  (draft: Candidate): FirstSweeps.ListedSweep => ({
    order: draft.intent.order,
    wei: Reserving.weiOf(fees, draft),
    isDelegated: draft.authorization === undefined
  })

/**
 * Makes `prepare(client, lane, claimed, market)`: budgets, screening, authorizations and the cover of the network fees first, then one
 * simulation for the rest.
 */
export const make = Effect.gen(function* () {
  const attempt = yield* Trial.make
  const contracts = yield* SweepContracts
  const coverageOf = yield* FeeCoverage.make
  const desk = yield* ExposureDesk.make
  const { counterOn, ownersOf } = yield* FirstSweeps.make
  const judge = yield* Budgets.make
  const screen = yield* Clearance.make

  const candidate = (
    intent: Signed,
    chosen: AuthorizationChoice & { readonly _tag: "Attach" | "LeaveOut" },
    { dataFee, prices }: Pick<FeeCoverage.Coverage, "dataFee" | "prices">
  ): Candidate => ({
    pots: [],
    isChecked: false,
    intent,
    dataFee,
    data: AccountCall.dataOf(contracts, [intent]),
    callGas: AccountCall.gasOf([intent]),
    authorization: chosen._tag === "Attach" ? intent.submission.authorization : undefined,
    prices
  })

  return Effect.fn("Relay.prepare")(function* <E>(
    client: ChainClient,
    lane: Effect.Effect<Address.Address, E>,
    claimed: ReadonlyArray<Signed>,
    market: Effect.Effect<FeesPerGas, ChainUnavailable>
  ): Effect.fn.Return<ReadonlyArray<Prepared>, E | ChainUnavailable | StoreUnavailable> {
    // First, so that sweeps over a budget cost no requests to nodes, regardless of their number in the queue.
    const { losing, over: beyond } = yield* judge(client, claimed)
    const dropped: Array<Prepared> = claimed.flatMap((intent) => {
      const excess = beyond.get(intent.id)
      return excess === undefined ? [] : [later(intent, excess.text, excess.pauseMillis)]
    })
    const within = claimed.filter(({ id }) => !beyond.has(id))
    if (within.length === 0) return dropped
    const [blocked, choices, coverages, fees] = yield* Effect.all(
      [screen(client, within), choicesOf(client, within), coverageOf(client, within, market), market],
      { concurrency: "unbounded" }
    )
    const drafts = within.map((intent, index) => {
      const [chosen, coverage] = [choices[index], coverages.get(intent.id)]
      return coverage === undefined || (chosen?._tag !== "Attach" && chosen?._tag !== "LeaveOut")
        ? undefined
        : candidate(intent, chosen, coverage)
    })
    const isListed = ({ intent }: Candidate) => desk.isListed(client.chain, intent.order)
    const listed = drafts.filter((draft) => draft !== undefined).filter(isListed)
    const { classes, full } = yield* ownersOf(client, listed.map(listedSweep(fees)))
    const candidates: Array<Candidate> = []
    const counter = yield* counterOn(client.chain, new Set([...classes.values()].flat()))
    const { admit, lacks } = admission(counter, fees, losing, full)
    for (const [index, intent] of within.entries()) {
      const chosen = choices[index]
      const verdict = blocked.get(intent.id)
      const draft = drafts[index]
      const waiting = shortfall(client, intent, coverages.get(intent.id))
      if (verdict === "listed") dropped.push(unfit(intent, "screening_blocked", "a party to the order is listed"))
      else if (verdict === "unavailable") dropped.push(later(intent, "screening did not answer"))
      else if (chosen === undefined || chosen._tag === "Later") {
        dropped.push(laterWithoutRoom(intent, "the owner has a pending transaction"))
      } else if (chosen._tag === "Refuse") dropped.push(unfit(intent, chosen.reason, chosen.detail))
      else if (draft === undefined || waiting !== undefined) {
        if (waiting !== undefined) dropped.push(waiting)
      } else {
        const each = { ...draft, pots: classes.get(intent.order.owner) ?? [] }
        const postponed = admit(each)
        if (postponed === undefined) candidates.push(each)
        else dropped.push(postponed)
      }
    }
    for (const each of lacks.values()) yield* desk.alerts.note(client.chain, each, counter.sumsOf(each.spent))
    const tried = yield* attempt(client, yield* lane, candidates)
    return [...dropped, ...tried.map((each) => grown(client, each, coverages))]
  })
})

/** A sweep that waits because it needs more gas by now than its network fee covers, or the sweep as it is. */
const grown = (
  client: ChainClient,
  prepared: Prepared,
  coverages: ReadonlyMap<string, FeeCoverage.Coverage>
): Prepared => {
  if (prepared._tag !== "Ready") return prepared
  const { authorization, data, gas, intent } = prepared.ready
  const { dataGas = 0n } = intent
  // As its quote counted.
  const entry = authorization === undefined ? 0n : entryGas(size(data))
  const granted = required({
    authorizations: authorization === undefined ? 0 : 1,
    data,
    execution: gas.simulated + entry
  })
  // Refunds take off at most a fifth (EIP-3529), so it is charged at least this much.
  return shortfall(client, intent, coverages.get(intent.id), granted - granted / 5n + dataGas) ?? prepared
}
