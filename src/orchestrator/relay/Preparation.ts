/** Decides which claimed sweeps are sent now, which later and which not at all. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { AuthorizationChoice } from "../../domain/AuthorizationChoice.ts"
import type { ExposureClass } from "../../domain/Exposure.ts"
import * as Generations from "../../domain/Generations.ts"
import { isStranger, paysOthers } from "../../domain/Listing.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient, ChainUnavailable, FeesPerGas } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import * as AccountCall from "./AccountCall.ts"
import * as Authorizing from "./Authorizing.ts"
import * as Budgets from "./Budgets.ts"
import * as Clearance from "./Clearance.ts"
import * as Coverages from "./Coverages.ts"
import type { Coverage } from "./FeeCoverage.ts"
import { shortfall } from "./FeeCoverWait.ts"
import * as FirstSweeps from "./FirstSweeps.ts"
import type { Market } from "./Market.ts"
import * as NewCode from "./NewCode.ts"
import { type Candidate, type Later, later, laterWithoutRoom, type Prepared, type Signed, unfit } from "./Prepared.ts"
import * as Reserving from "./Reserving.ts"
import * as Trial from "./Trial.ts"

const LOSING = "first sweeps of the owner failed on chain today"

const UNKNOWN_GUARD = "this process does not have the guard that its nonce names"

const NO_ROOM = "the budget of first sweeps has no room for it"

const SPENT_PAUSE = ExposureDesk.pauseOf({ isBusy: false })

/**
 * The sweeps, those marked that run code of strangers now or did in their quote, and the authorization of each. One request reads the
 * accounts of owners and those that receive native currency.
 */
const choicesOf = Effect.fnUntraced(function* (client: ChainClient, claimed: ReadonlyArray<Signed>) {
  const { chain } = client
  const paid = claimed.flatMap(({ order }) => (paysOthers(chain, order) ? [order.destination] : []))
  const addresses = [...new Set([...claimed.map(({ order }) => order.owner), ...paid])]
  const states = yield* client.accounts(addresses)
  const accounts = new Map(addresses.map((address, index) => [address, states[index]]))
  const accountOf = (address: Address.Address) => {
    const account = accounts.get(address)
    return account === undefined
      ? Effect.die(new Error(`the node returned ${states.length} accounts of ${addresses.length}`))
      : Effect.succeed(account)
  }
  const sweeps = yield* Effect.forEach(claimed, (intent): Effect.Effect<Signed> => {
    const { destination } = intent.order
    return paysOthers(chain, intent.order)
      ? Effect.map(accountOf(destination), ({ code }) =>
          isStranger(chain, destination, code) ? { ...intent, runsOthersCode: true } : intent
        )
      : Effect.succeed(intent)
  })
  const choices = yield* Effect.forEach(
    claimed,
    (intent) =>
      Effect.flatMap(accountOf(intent.order.owner), (account) => Authorizing.choiceOf(client, intent, account)),
    { concurrency: "unbounded" }
  )
  return { choices, sweeps }
})

/**
 * Makes `admit(candidate)`, which returns a first sweep that must wait for its budget, and `lacks`, the classes that had no room so far.
 * Every other sweep is admitted.
 */
const admission = (
  counter: FirstSweeps.Counter,
  fees: FeesPerGas,
  isLosing: (candidate: Candidate) => boolean,
  full: FirstSweeps.Owners["full"]
) => {
  const lacks = new Map<ExposureClass, FirstSweeps.Lack & { readonly wei: bigint }>()
  const admit = (candidate: Candidate): Later | undefined => {
    const { intent, pots } = candidate
    const withoutRoom = full.get(intent.order.owner)
    if (pots.length === 0 && withoutRoom === undefined) return undefined
    if (isLosing(candidate)) return later(intent, LOSING, SPENT_PAUSE)
    const wei = Reserving.weiOf(fees, candidate)
    const lack = withoutRoom ?? counter.lack({ classes: pots, wei })
    if (lack === undefined) return undefined
    lacks.set(lack.spent, { ...lack, wei })
    return later(intent, NO_ROOM, ExposureDesk.pauseOf(lack))
  }
  return { admit, lacks }
}

/** A delegated account is checked, so that it cannot burn gas. An account that it pays is not. */
const losingOn =
  ({ chain }: ChainClient, losing: ReadonlySet<Address.Address>) =>
  ({ authorization, intent: { order } }: Candidate): boolean =>
    losing.has(order.owner) && (authorization !== undefined || paysOthers(chain, order))

/** Sweeps that run code of strangers now, and did not in their quote. */
const newlyMarked = (claimed: ReadonlyArray<Signed>, drafts: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => {
  const marked = new Set(claimed.flatMap(({ id, runsOthersCode }) => (runsOthersCode === true ? [id] : [])))
  return drafts.filter(({ intent: { id, runsOthersCode } }) => runsOthersCode === true && !marked.has(id))
}

const listedSweep =
  (fees: FeesPerGas) =>
  (draft: Candidate): FirstSweeps.ListedSweep => ({
    order: draft.intent.order,
    wei: Reserving.weiOf(fees, draft),
    isDelegated: draft.authorization === undefined
  })

/** The sweep as one that its screening or its owner's account keeps from being sent; undefined without such a reason. */
const heldBy = (
  intent: Signed,
  verdict: "listed" | "unavailable" | undefined,
  chosen: Authorizing.Choice | undefined
): Prepared | undefined => {
  if (verdict === "listed") return unfit(intent, "screening_blocked", "a party to the order is listed")
  if (verdict === "unavailable") return later(intent, "screening did not answer")
  if (chosen === undefined || chosen._tag === "Later") {
    return laterWithoutRoom(intent, "the owner has a pending transaction")
  }
  if (chosen._tag === "Doubted") return laterWithoutRoom(intent, chosen.detail)
  return chosen._tag === "Refuse" ? unfit(intent, chosen.reason, chosen.detail) : undefined
}

/**
 * Makes `prepare(client, lane, claimed, market)`: budgets, screening, authorizations and the cover of the network fees first, then one
 * simulation for the rest.
 */
export const make = Effect.gen(function* () {
  const attempt = yield* Trial.make
  const contracts = yield* SweepContracts
  const { coveragesOf, grown } = yield* Coverages.make
  const desk = yield* ExposureDesk.make
  const { counterOn, ownersOf } = yield* FirstSweeps.make
  const judge = yield* Budgets.make
  const newCode = yield* NewCode.make
  const screen = yield* Clearance.make

  const candidate = (
    intent: Signed,
    chosen: AuthorizationChoice & { readonly _tag: "Attach" | "LeaveOut" },
    { dataFee, prices }: Pick<Coverage, "dataFee" | "prices">
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
    market: Market
  ): Effect.fn.Return<ReadonlyArray<Prepared>, E | ChainUnavailable | StoreUnavailable> {
    // First, so that sweeps over a budget cost no requests to nodes, regardless of their number in the queue.
    const { losing, over: beyond } = yield* judge(client, claimed)
    // Another replica may have the guard. Checks against other contracts would refuse what it can send.
    const isKnown = ({ order }: Signed) => Generations.isKnown(client.chain, order.nonce)
    const dropped: Array<Prepared> = claimed.flatMap((intent) => {
      if (!isKnown(intent)) return [later(intent, UNKNOWN_GUARD)]
      const excess = beyond.get(intent.id)
      return excess === undefined ? [] : [later(intent, excess.text, excess.pauseMillis)]
    })
    const within = claimed.filter((intent) => isKnown(intent) && !beyond.has(intent.id))
    if (within.length === 0) return dropped
    const [blocked, { choices, sweeps }, coverages] = yield* Effect.all(
      [screen(client, within), choicesOf(client, within), coveragesOf(client, within, market)],
      { concurrency: "unbounded" }
    )
    const fees = yield* market.fees
    const drafts = sweeps.map((intent, index) => {
      const [chosen, coverage] = [choices[index], coverages.get(intent.id)]
      return coverage === undefined || (chosen?._tag !== "Attach" && chosen?._tag !== "LeaveOut")
        ? undefined
        : candidate(intent, chosen, coverage)
    })
    const known = drafts.filter((draft) => draft !== undefined)
    // Also if it pays an account that runs code of strangers: its owner can void it at the same price.
    const mayBeFirst = known.filter(({ intent: { order } }) => desk.isListed(client.chain, { order }))
    const { classes, full } = yield* ownersOf(client, mayBeFirst.map(listedSweep(fees)))
    const unaffordable = yield* newCode(client, fees, newlyMarked(within, known))
    const candidates: Array<Candidate> = []
    const counter = yield* counterOn(client.chain, new Set([...classes.values()].flat()))
    const { admit, lacks } = admission(counter, fees, losingOn(client, losing), full)
    for (const [index, intent] of sweeps.entries()) {
      const chosen = choices[index]
      const verdict = blocked.get(intent.id)
      const draft = drafts[index]
      const held =
        heldBy(intent, verdict, chosen) ??
        shortfall(client, intent, coverages.get(intent.id)) ??
        unaffordable.get(intent.id)
      if (held !== undefined) dropped.push(held)
      else if (draft !== undefined) {
        const each = { ...draft, pots: classes.get(intent.order.owner) ?? [] }
        const postponed = admit(each)
        if (postponed === undefined) candidates.push(each)
        else dropped.push(postponed)
      }
    }
    for (const each of lacks.values()) yield* desk.alerts.note(client.chain, each, counter.sumsOf(each.spent))
    const tried = yield* attempt(client, yield* lane, candidates)
    return [...dropped, ...(yield* grown(client, tried, { coverages, market }))]
  })
})
