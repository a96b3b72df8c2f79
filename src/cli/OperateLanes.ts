/** `./sweep operate lanes`: takes lanes out of use and back, over the orchestrator's operator routes. */
import { Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Address from "../domain/Address.ts"
import { ChainId } from "../domain/ChainId.ts"
import { type LaneState, LaneTransfer, LaneView } from "../domain/LaneState.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"

const lane = Argument.String("lane").pipe(
  Argument.withSchema(Address.Address),
  Argument.withDescription("Address of the lane, as `list` shows it")
)

const reason = Flag.String("reason").pipe(Flag.withDescription("Reason, for the record"), Flag.withDefault(""))

/** The refusals of the service, for people. */
const REFUSALS: Readonly<Record<string, string>> = {
  LaneNotChanged:
    "the lane cannot be changed now. Drain it first and wait a minute until `list` shows nothing in flight; the last active lane cannot be drained; the rest of a retired lane goes to another active lane or to LANE_REST_RECIPIENTS, and to the recipient of the first `empty` until that transfer is mined; the lane cannot be activated before",
  NotFound: "no such lane or chain. `sweep operate lanes list` shows the lanes",
  ChainNotAnswering: "the chain does not answer, or refused the transfer. The orchestrator's log has the cause"
}

/** The service's own text about a refusal, if it has one, or that of {@link REFUSALS}. */
const refusalsFor = (failure: OrchestratorClient.Failure): Readonly<Record<string, string>> =>
  "detail" in failure && typeof failure.detail === "string" ? { ...REFUSALS, LaneNotChanged: failure.detail } : REFUSALS

const rowsOf = ({ address, chains, hasKey, isAnswering, state }: LaneView): ReadonlyArray<ReadonlyArray<string>> =>
  chains.map(({ balance, inFlight, name }) => [
    address,
    state,
    hasKey ? (isAnswering ? "ok" : "silent") : "absent",
    name,
    balance === null ? "–" : String(balance),
    String(inFlight)
  ])

const asTable = (lanes: ReadonlyArray<LaneView>): string =>
  [
    table(["LANE", "STATE", "KEY", "CHAIN", "BALANCE", "IN FLIGHT"], lanes.flatMap(rowsOf), "no lanes"),
    ...lanes.flatMap(({ address, chains }) =>
      chains.flatMap(({ waiting }) => (waiting === undefined ? [] : [`${address}: ${waiting}`]))
    )
  ].join("\n")

const list = Command.make("list", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { explained, lanes } = yield* OrchestratorClient.connect
    yield* printed(Schema.Array(LaneView), yield* explained(lanes.lanes()), json, asTable)
  })
).pipe(
  Command.withDescription("List lanes with their states, balances in wei and transactions in flight"),
  Command.withExamples([{ command: "sweep operate lanes list", description: "Find a lane that can be retired" }])
)

const moving = (name: string, state: LaneState, description: string) =>
  Command.make(name, { lane, reason, json }, ({ json, lane, reason }) =>
    Effect.gen(function* () {
      const { explained, lanes } = yield* OrchestratorClient.connect
      const request = { params: { address: lane }, payload: { state, reason } }
      yield* printed(LaneView, yield* explained(lanes.change(request), refusalsFor), json, (view) => asTable([view]))
    })
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([{ command: `sweep operate lanes ${name} 0x…`, description }])
  )

const empty = Command.make(
  "empty",
  {
    lane,
    chain: Flag.Int("chain").pipe(Flag.withSchema(ChainId), Flag.withDescription("Id of the chain")),
    to: Flag.String("to").pipe(
      Flag.withSchema(Address.NonZeroAddress),
      Flag.withDescription("Another active lane, or one of LANE_REST_RECIPIENTS")
    ),
    reason,
    json
  },
  ({ chain: chainId, json, lane, reason, to: recipient }) =>
    Effect.gen(function* () {
      const { explained, lanes } = yield* OrchestratorClient.connect
      const request = { params: { address: lane }, payload: { chainId, recipient, reason } }
      yield* printed(
        LaneTransfer,
        yield* explained(lanes.empty(request), refusalsFor),
        json,
        ({ amount, recipient, txHash }) => `sent ${amount} wei to ${recipient} in transaction ${txHash}`
      )
    })
).pipe(
  Command.withDescription("Move the rest of a retired lane to another lane. Safe to repeat"),
  Command.withExamples([
    { command: "sweep operate lanes empty 0x… --chain 8453 --to 0x…", description: "Move the gas money on Base" }
  ])
)

export const operateLanes = Command.make("lanes").pipe(
  Command.withDescription("Take lanes out of use and back"),
  Command.withSubcommands([
    list,
    moving("drain", "draining", "Give a lane no new batches, on every replica within two seconds"),
    moving("activate", "active", "Use a lane again"),
    moving("retire", "retired", "End a drained lane that has nothing in flight. Its key can then be removed"),
    empty
  ])
)
